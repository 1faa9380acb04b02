package main

import (
	"context"
	"errors"
	"net/http"
	"os"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type item struct {
	ID    int    `json:"id"`
	Shelf int    `json:"shelf"`
	Name  string `json:"name"`
}

// items answers from the table of this name. The pool prepares each statement once on each of its
// connections, and opens them as they are needed.
type items struct {
	pool *pgxpool.Pool
}

func openItems() (items, error) {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		return items{}, err
	}
	config.MaxConns = 16
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	return items{pool}, err
}

func (i items) row(c *gin.Context) {
	var asked struct {
		ID int `form:"id"`
	}
	if c.BindQuery(&asked) != nil {
		return // It has answered with 400.
	}
	rows, _ := i.pool.Query(c.Request.Context(), "SELECT id, shelf, name FROM item WHERE id = $1", asked.ID)
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[item])
	answer(c, found, err)
}

func (i items) page(c *gin.Context) {
	var asked struct {
		Shelf int `form:"shelf"`
	}
	if c.BindQuery(&asked) != nil {
		return
	}
	rows, _ := i.pool.Query(c.Request.Context(), "SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id", asked.Shelf)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[item])
	answer(c, found, err)
}

func answer(c *gin.Context, found any, err error) {
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		c.AbortWithStatus(http.StatusNotFound)
	case err != nil:
		c.AbortWithStatus(http.StatusInternalServerError)
	default:
		c.JSON(http.StatusOK, found)
	}
}
