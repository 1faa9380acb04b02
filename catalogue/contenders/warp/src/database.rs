//! Answers from the table `item`, by a pool of connections. A statement is prepared once on each.

use deadpool_postgres::{Config, CreatePoolError, Pool, PoolConfig, PoolError, Runtime};
use serde::{Deserialize, Serialize};
use tokio_postgres::{NoTls, Row};
use warp::http::StatusCode;
use warp::reply::{Reply, Response, json};
use warp::{Filter, Rejection};

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

pub fn routes(
    url: String,
) -> Result<impl Filter<Extract = (Response,), Error = Rejection> + Clone, CreatePoolError> {
    let config = Config {
        url: Some(url),
        pool: Some(PoolConfig::new(POOL)),
        ..Config::default()
    };
    let pool = config.create_pool(Some(Runtime::Tokio1), NoTls)?;
    let pool = warp::any().map(move || pool.clone());
    let row = warp::path!("row").and(pool.clone()).and(warp::query());
    let page = warp::path!("page").and(pool).and(warp::query());
    Ok(row.then(by_id).or(page.then(by_shelf)).unify())
}

async fn by_id(pool: Pool, key: ById) -> Response {
    let text = "SELECT id, shelf, name FROM item WHERE id = $1";
    match query(&pool, text, key.id).await.as_deref() {
        Ok([row, ..]) => json(&Item::from(row)).into_response(),
        Ok([]) => StatusCode::NOT_FOUND.into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn by_shelf(pool: Pool, key: ByShelf) -> Response {
    let text = "SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id";
    match query(&pool, text, key.shelf).await {
        Ok(rows) => json(&rows.iter().map(Item::from).collect::<Vec<_>>()).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn query(pool: &Pool, text: &str, key: i32) -> Result<Vec<Row>, PoolError> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(text).await?;
    Ok(client.query(&statement, &[&key]).await?)
}
