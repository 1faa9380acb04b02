//! Answers from the table `item`, by a pool of connections. A statement is prepared once on each.

use std::error::Error;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use deadpool_postgres::{Config, Pool, PoolConfig, PoolError, Runtime};
use serde::{Deserialize, Serialize};
use tokio_postgres::{NoTls, Row};

const POOL: usize = 16;

#[derive(Serialize)]
struct Item {
    id: i32,
    shelf: i32,
    name: String,
}

#[derive(Deserialize)]
struct ById {
    id: i32,
}

#[derive(Deserialize)]
struct ByShelf {
    shelf: i32,
}

impl From<&Row> for Item {
    fn from(row: &Row) -> Self {
        Self {
            id: row.get(0),
            shelf: row.get(1),
            name: row.get(2),
        }
    }
}

pub fn routes(url: String) -> Result<Router, Box<dyn Error>> {
    let config = Config {
        url: Some(url),
        pool: Some(PoolConfig::new(POOL)),
        ..Config::default()
    };
    let pool = config.create_pool(Some(Runtime::Tokio1), NoTls)?;
    Ok(Router::new()
        .route("/row", get(row))
        .route("/page", get(page))
        .with_state(pool))
}

async fn row(State(pool): State<Pool>, Query(key): Query<ById>) -> Result<Json<Item>, StatusCode> {
    let found = query(
        &pool,
        "SELECT id, shelf, name FROM item WHERE id = $1",
        key.id,
    )
    .await;
    let found = found.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let row = found.first().ok_or(StatusCode::NOT_FOUND)?;
    Ok(Json(row.into()))
}

async fn page(
    State(pool): State<Pool>,
    Query(key): Query<ByShelf>,
) -> Result<Json<Vec<Item>>, StatusCode> {
    let text = "SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id";
    let found = query(&pool, text, key.shelf).await;
    let found = found.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(Json(found.iter().map(Item::from).collect()))
}

async fn query(pool: &Pool, text: &str, key: i32) -> Result<Vec<Row>, PoolError> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(text).await?;
    Ok(client.query(&statement, &[&key]).await?)
}
