//! Sends one request with reqwest as it comes, and one with reqwest-retry. Each client gets a path of its own below the
//! address given, so that the server can tell them apart.
//!
//!     cargo run --bin defaults -- http://127.0.0.1:3000 GET

use reqwest::Method;
use reqwest_middleware::ClientBuilder;
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};

const PET: &str = r#"{"name":"Pixel","categoryId":2}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (server, method) = (&arguments[1], arguments[2].parse::<Method>().unwrap());
    let body = if method == Method::POST { PET } else { "" };

    let _ = reqwest::Client::new()
        .request(method.clone(), format!("{server}/reqwest"))
        .body(body)
        .send()
        .await;

    let policy = ExponentialBackoff::builder().build_with_max_retries(3);
    let client = ClientBuilder::new(reqwest::Client::new())
        .with(RetryTransientMiddleware::new_with_policy(policy))
        .build();
    let _ = client
        .request(method, format!("{server}/reqwest-retry"))
        .body(body)
        .send()
        .await;
}
