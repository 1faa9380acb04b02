package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/labstack/echo/v5"
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

func (i items) row(c *echo.Context) error {
	id, err := echo.QueryParam[int](c, "id")
	if err != nil {
		return echo.ErrBadRequest
	}
	rows, _ := i.pool.Query(c.Request().Context(), "SELECT id, shelf, name FROM item WHERE id = $1", id)
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[item])
	return answer(c, found, err)
}

func (i items) page(c *echo.Context) error {
	shelf, err := echo.QueryParam[int](c, "shelf")
	if err != nil {
		return echo.ErrBadRequest
	}
	rows, _ := i.pool.Query(c.Request().Context(), "SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id", shelf)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[item])
	return answer(c, found, err)
}

func answer(c *echo.Context, found any, err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return echo.ErrNotFound
	}
	if err != nil {
		return err
	}
	// Not c.JSON, as in fillBuffer.
	body, err := json.Marshal(found)
	if err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, body)
}
