//! Answers from the table `item`, by a pool of connections. A statement is prepared once on each.

use std::error::Error;

use deadpool_postgres::{Config, Pool, PoolConfig, PoolError, Runtime};
use salvo::prelude::*;
use serde::Serialize;
use tokio_postgres::{NoTls, Row};

const POOL: usize = 16;

#[derive(Serialize)]
struct Item {
    id: i32,
    shelf: i32,
    name: String,
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

struct ById(Pool);
struct ByShelf(Pool);

pub fn routes(url: String) -> Result<[Router; 2], Box<dyn Error>> {
    let config = Config {
        url: Some(url),
        pool: Some(PoolConfig::new(POOL)),
        ..Config::default()
    };
    let pool = config.create_pool(Some(Runtime::Tokio1), NoTls)?;
    Ok([
        Router::with_path("row").get(ById(pool.clone())),
        Router::with_path("page").get(ByShelf(pool)),
    ])
}

#[handler]
impl ById {
    async fn handle(&self, req: &mut Request) -> Result<Json<Item>, StatusError> {
        let key = req.query("id").ok_or_else(StatusError::bad_request)?;
        let text = "SELECT id, shelf, name FROM item WHERE id = $1";
        let found = query(&self.0, text, key).await;
        let found = found.map_err(|_| StatusError::internal_server_error())?;
        let row = found.first().ok_or_else(StatusError::not_found)?;
        Ok(Json(row.into()))
    }
}

#[handler]
impl ByShelf {
    async fn handle(&self, req: &mut Request) -> Result<Json<Vec<Item>>, StatusError> {
        let key = req.query("shelf").ok_or_else(StatusError::bad_request)?;
        let text = "SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id";
        let found = query(&self.0, text, key).await;
        let found = found.map_err(|_| StatusError::internal_server_error())?;
        Ok(Json(found.iter().map(Item::from).collect()))
    }
}

async fn query(pool: &Pool, text: &str, key: i32) -> Result<Vec<Row>, PoolError> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(text).await?;
    Ok(client.query(&statement, &[&key]).await?)
}
