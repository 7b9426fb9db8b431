//! Clients of object stores, one for each bucket or server, set up by the environment variables that other programs take as well.

use super::public;
use neuncut::{Error, Result};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::{BackoffConfig, ClientConfigKey, ObjectStore, RetryConfig};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A request is tried again so often, for so long at most.
const TRIES: usize = 4;
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSES: BackoffConfig =
    BackoffConfig { init_backoff: Duration::from_millis(100), max_backoff: Duration::from_secs(5), base: 2.0 };

/// A server must answer within these times; a large object may take as long as bytes come.
const TIMES: [(ClientConfigKey, &str); 3] = [
    (ClientConfigKey::ConnectTimeout, "10 seconds"),
    (ClientConfigKey::ReadTimeout, "30 seconds"),
    (ClientConfigKey::Timeout, "1 day"),
];

/// Variables that say where S3 is, where it is not Amazon's.
const ENDPOINTS: [&str; 4] = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT", "AWS_S3_ENDPOINT"];

/// The same for Azure.
const AZURE_ENDPOINTS: [&str; 2] = ["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"];

/// The kinds of stores, by how their addresses begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Amazon,
    Google,
    Azure,
    Web,
}

impl Kind {
    pub(super) fn of(scheme: &str) -> Option<Self> {
        Some(match scheme {
            "s3" | "s3a" => Self::Amazon,
            "gs" => Self::Google,
            "az" | "azure" | "adl" | "abfs" | "abfss" => Self::Azure,
            "http" | "https" => Self::Web,
            _ => return None,
        })
    }
}

/// The client of a bucket or server, such as `s3://bucket`. A web server gets the query with each request.
pub(super) fn client(kind: Kind, root: &str, query: &str) -> Result<Arc<dyn ObjectStore>> {
    static CLIENTS: Mutex<Option<HashMap<String, Arc<dyn ObjectStore>>>> = Mutex::new(None);
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    let clients = clients.get_or_insert_default();
    let whole = if query.is_empty() { root.to_owned() } else { format!("{root}/?{query}") };
    if let Some(client) = clients.get(&whole) {
        return Ok(client.clone());
    }
    let _ = rustls::crypto::ring::default_provider().install_default(); // an error says that it is there already
    let client = build(kind, &whole).map_err(|error| {
        let (problem, root) = (error.to_string().replace('\n', " "), public(Path::new(root)));
        Error::Request(format!(
            "{} cannot be used: {problem}; check the address and the variables of the environment",
            root.display()
        ))
    })?;
    // one signature is for one object: such a client is of no further use
    if query.is_empty() {
        clients.insert(whole, client.clone());
    }
    Ok(client)
}

/// Whether this address of a store is meant for a test on this machine, or for a network of one's own: it was named with `http`.
fn is_plain(endpoint: Option<String>) -> bool {
    endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"))
}

fn build(kind: Kind, root: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    let retry = RetryConfig { backoff: PAUSES, max_retries: TRIES, retry_timeout: PATIENCE };
    Ok(match kind {
        Kind::Amazon => {
            let mut builder = AmazonS3Builder::from_env().with_url(root).with_retry(retry);
            for (key, value) in TIMES {
                builder = builder.with_config(AmazonS3ConfigKey::Client(key), value);
            }
            // an endpoint that was named so is meant so
            let endpoint = ENDPOINTS.into_iter().find_map(|name| std::env::var(name).ok());
            Arc::new(if is_plain(endpoint) { builder.with_allow_http(true) } else { builder }.build()?)
        }
        Kind::Google => {
            let mut builder = GoogleCloudStorageBuilder::from_env().with_url(root).with_retry(retry);
            for (key, value) in TIMES {
                builder = builder.with_config(GoogleConfigKey::Client(key), value);
            }
            Arc::new(builder.build()?)
        }
        Kind::Azure => {
            let mut builder = MicrosoftAzureBuilder::from_env().with_url(root).with_retry(retry);
            for (key, value) in TIMES {
                builder = builder.with_config(AzureConfigKey::Client(key), value);
            }
            let endpoint = AZURE_ENDPOINTS.into_iter().find_map(|name| std::env::var(name).ok());
            Arc::new(if is_plain(endpoint) { builder.with_allow_http(true) } else { builder }.build()?)
        }
        Kind::Web => {
            let mut builder = HttpBuilder::new().with_url(root).with_retry(retry);
            for (key, value) in TIMES {
                builder = builder.with_config(key, value);
            }
            Arc::new(builder.with_config(ClientConfigKey::AllowHttp, "true").build()?)
        }
    })
}
