//! Adds a pet with reqwest, and waits when the quota is used up.

use reqwest::{Client, RequestBuilder, Response, Result};
use std::{env, time::Duration};

/// Waits for the Retry-After of a 429, up to a minute, and then sends the request again: three times at most.
async fn send_patiently(request: RequestBuilder) -> Result<Response> {
    for _ in 0..3 {
        let response = request
            .try_clone()
            .expect("a body that can be sent twice")
            .send()
            .await?;
        let retry_after = response
            .headers()
            .get("Retry-After")
            .and_then(|value| value.to_str().ok()?.parse().ok());
        match retry_after {
            Some(seconds) if seconds <= 60 && response.status() == 429 => {
                tokio::time::sleep(Duration::from_secs(seconds)).await
            }
            _ => return Ok(response),
        }
    }
    request.send().await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let variable = |name| env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
    let request = Client::new()
        .post(format!("{}/v1/pets", variable("BASE_URL")))
        .bearer_auth(variable("API_KEY"))
        .header("Idempotency-Key", uuid::Uuid::new_v4().to_string())
        .header("Content-Type", "application/json")
        .body(r#"{"name":"Pixel","categoryId":2}"#);
    let response = send_patiently(request).await?.error_for_status()?;
    println!("added {}", response.text().await?);
    Ok(())
}
