//! Answers from the table `item`, by a pool of connections. A statement is prepared once on each.

use actix_web::error::{ErrorInternalServerError, ErrorNotFound};
use actix_web::{get, web, Responder};
use deadpool_postgres::{Config, CreatePoolError, Pool, PoolConfig, PoolError, Runtime};
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
    fn from(found: &Row) -> Self {
        Self {
            id: found.get(0),
            shelf: found.get(1),
            name: found.get(2),
        }
    }
}

/// One for all workers.
pub fn pool(url: String) -> Result<Pool, CreatePoolError> {
    let config = Config {
        url: Some(url),
        pool: Some(PoolConfig::new(POOL)),
        ..Config::default()
    };
    config.create_pool(Some(Runtime::Tokio1), NoTls)
}

pub fn routes(config: &mut web::ServiceConfig, pool: Option<Pool>) {
    if let Some(pool) = pool {
        config
            .app_data(web::Data::new(pool))
            .service(row)
            .service(page);
    }
}

#[get("/row")]
async fn row(pool: web::Data<Pool>, key: web::Query<ById>) -> actix_web::Result<impl Responder> {
    let text = "SELECT id, shelf, name FROM item WHERE id = $1";
    let found = query(&pool, text, key.id).await;
    let found = found.map_err(ErrorInternalServerError)?;
    let first = found.first().ok_or_else(|| ErrorNotFound("Not Found"))?;
    Ok(web::Json(Item::from(first)))
}

#[get("/page")]
async fn page(
    pool: web::Data<Pool>,
    key: web::Query<ByShelf>,
) -> actix_web::Result<impl Responder> {
    let text = "SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id";
    let found = query(&pool, text, key.shelf).await;
    let found = found.map_err(ErrorInternalServerError)?;
    Ok(web::Json(found.iter().map(Item::from).collect::<Vec<_>>()))
}

async fn query(pool: &Pool, text: &str, key: i32) -> Result<Vec<Row>, PoolError> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(text).await?;
    Ok(client.query(&statement, &[&key]).await?)
}
