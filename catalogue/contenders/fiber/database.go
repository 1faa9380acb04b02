package main

import (
	"context"
	"errors"
	"os"

	"github.com/gofiber/fiber/v3"
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

func (i items) row(c fiber.Ctx) error {
	var asked struct {
		ID int `query:"id"`
	}
	if err := c.Bind().WithAutoHandling().Query(&asked); err != nil {
		return err // It says 400.
	}
	rows, _ := i.pool.Query(c.Context(), "SELECT id, shelf, name FROM item WHERE id = $1", asked.ID)
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[item])
	return answer(c, found, err)
}

func (i items) page(c fiber.Ctx) error {
	var asked struct {
		Shelf int `query:"shelf"`
	}
	if err := c.Bind().WithAutoHandling().Query(&asked); err != nil {
		return err
	}
	rows, _ := i.pool.Query(c.Context(), "SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id", asked.Shelf)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[item])
	return answer(c, found, err)
}

func answer(c fiber.Ctx, found any, err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fiber.ErrNotFound
	}
	if err != nil {
		return err
	}
	return c.JSON(found)
}
