package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strconv"

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

func (i items) row(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.FormValue("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	rows, _ := i.pool.Query(r.Context(), "SELECT id, shelf, name FROM item WHERE id = $1", id)
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[item])
	answer(w, found, err)
}

func (i items) page(w http.ResponseWriter, r *http.Request) {
	shelf, err := strconv.Atoi(r.FormValue("shelf"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	rows, _ := i.pool.Query(r.Context(), "SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id", shelf)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[item])
	answer(w, found, err)
}

func answer(w http.ResponseWriter, found any, err error) {
	if errors.Is(err, pgx.ErrNoRows) {
		http.Error(w, "Not Found", http.StatusNotFound)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	body, err := json.Marshal(found)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
}
