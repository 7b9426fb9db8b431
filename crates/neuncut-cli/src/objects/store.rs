//! Objects: listed, read and written, each as a whole. Work waits for them and asks meanwhile whether it was interrupted.

use super::stores::{Kind, client};
use super::{MARK, Stat, in_two, public};
use crate::interrupt;
use futures_util::future::{Either, select};
use futures_util::{StreamExt, TryStreamExt};
use neuncut::data::is_table_name;
use neuncut::{Error, Result};
use object_store::path::Path as Key;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutPayload, WriteMultipart};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Larger objects are sent in parts of this size, so many at a time.
const PART: usize = 1 << 24;
const PARTS_AT_ONCE: usize = 4;
/// How often work that waits looks whether it was interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// What makes an address a glob.
const GLOB: [char; 3] = ['*', '?', '['];

/// An address in its parts.
struct Address<'a> {
    kind: Kind,
    /// The store, such as `s3://bucket`.
    root: &'a str,
    /// What it is called in its store.
    key: &'a str,
    /// What stands behind the `?` of a web address, such as a signature.
    query: &'a str,
}

impl<'a> Address<'a> {
    fn of(address: &'a str) -> Result<Self> {
        let wrong = |problem: &str| Err(Error::Request(format!("{} {problem}", public(Path::new(address)).display())));
        let (address, query) = in_two(address);
        let (scheme, rest) = address.split_once(MARK).unwrap_or_default();
        let Some(kind) = Kind::of(scheme) else {
            return wrong(
                "is of no known store: addresses begin with s3://, gs://, az://, abfss://, http:// or https://",
            );
        };
        let (host, key) = rest.split_once('/').unwrap_or((rest, ""));
        if host.is_empty() {
            return wrong("names no bucket or server: write it as s3://bucket/folder/rows.parquet");
        }
        if kind == Kind::Web && (key.contains('#') || query.contains('#')) {
            return wrong("has a mark (`#`), which no server is sent: leave it out");
        }
        Ok(Self { kind, root: &address[..address.len() - rest.len() + host.len()], key, query })
    }

    fn key(&self, key: &str) -> Result<Key> {
        let parsed = match self.kind {
            Kind::Web => Key::from_url_path(key),
            _ => Key::parse(key),
        };
        parsed.map_err(|_| {
            Error::Request(format!(
                "{}/{key} is no address of an object: its folders need names other than `.` and `..`",
                public(Path::new(self.root)).display()
            ))
        })
    }

    fn client(&self) -> Result<Arc<dyn ObjectStore>> {
        client(self.kind, self.root, self.query)
    }

    fn object(&self) -> Result<(Arc<dyn ObjectStore>, Key)> {
        Ok((self.client()?, self.key(self.key)?))
    }
}

/// Refuses an address that no object can have.
pub fn check(address: &str) -> Result<()> {
    let parts = Address::of(address)?;
    match parts.key.is_empty() || parts.key.ends_with('/') {
        true => {
            let name = public(Path::new(address));
            Err(Error::Request(format!("{} names a folder: add the name of an object to it", name.display())))
        }
        false => parts.key(parts.key).map(|_| ()),
    }
}

/// The objects that are meant by an address: itself, the matches of a glob, or the tables below a folder; sorted.
pub fn list(address: &str) -> Result<Vec<String>> {
    let parts = Address::of(address)?;
    let is_folder = parts.key.is_empty() || parts.key.ends_with('/');
    let Some(literal) = parts.key.find(GLOB).or(is_folder.then_some(parts.key.len())) else {
        return Ok(vec![address.to_owned()]);
    };
    if parts.kind == Kind::Web {
        let remedy = "a web server does not list its files: give their addresses, or a list of them (@FILE)";
        return Err(Error::Request(format!("{}: {remedy}", public(Path::new(address)).display())));
    }
    let folder = &parts.key[..parts.key[..literal].rfind('/').map_or(0, |at| at + 1)];
    let glob = glob::Pattern::new(parts.key)
        .map_err(|error| Error::Request(format!("{address} is not a valid glob: {error}")))?;
    let options = glob::MatchOptions { require_literal_separator: true, ..Default::default() };
    let is_meant = |key: &str| match is_folder {
        true => is_table_below(key.strip_prefix(folder).unwrap_or(key)),
        false => glob.matches_with(key, options),
    };
    let (store, prefix) = (parts.client()?, parts.key(folder.trim_end_matches('/'))?);
    let found = wait(async {
        let objects = store.list((!folder.is_empty()).then_some(&prefix));
        objects.try_collect::<Vec<_>>().await.map_err(|error| explain("list", address, &error))
    })?;
    let keys = found.iter().map(|object| object.location.as_ref()).filter(|key| is_meant(key));
    let mut addresses: Vec<String> = keys.map(|key| format!("{}/{key}", parts.root)).collect();
    addresses.sort();
    match addresses.is_empty() {
        true => Err(Error::data(address, "no object matches: check the bucket, the folder and the ending")),
        false => Ok(addresses),
    }
}

/// Whether what lies below a folder is taken for a table, as in a folder of files.
fn is_table_below(key: &str) -> bool {
    let is_hidden = |part: &str| part.starts_with(['.', '_']);
    let name = key.rsplit('/').next().unwrap_or(key);
    !key.split('/').any(is_hidden) && is_table_name(name.trim_end_matches(".gz"))
}

/// The size of an object, and when it was changed.
pub fn stat(address: &str) -> Result<Stat> {
    let parts = Address::of(address)?;
    let (store, key) = parts.object()?;
    let found = wait(async {
        if !parts.query.is_empty() {
            // a signature is for one method, and that is to read: the first byte tells as much as the header alone
            let first = GetOptions { range: Some(GetRange::Bounded(0..1)), ..Default::default() };
            if let Ok(found) = store.get_opts(&key, first).await {
                return Ok(found.meta);
            }
        }
        store.head(&key).await.map_err(|error| explain("read", address, &error))
    })?;
    let modified = found.last_modified.timestamp_nanos_opt().and_then(|time| u64::try_from(time).ok());
    Ok(Stat { bytes: found.size, modified: modified.unwrap_or(0) })
}

/// The bytes of a small object.
pub fn read(address: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    receive(address, |block| {
        bytes.extend_from_slice(block);
        Ok(())
    })?;
    Ok(bytes)
}

/// Copies an object into a file.
pub fn fetch(address: &str, file: &Path) -> Result<()> {
    let kept = || Error::io("keep a copy (TMPDIR says where) of", public(Path::new(address)));
    let mut out = File::create(file).map_err(kept())?;
    receive(address, |block| out.write_all(block).map_err(kept()))
}

fn receive(address: &str, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let (store, key) = Address::of(address)?.object()?;
    wait(async {
        let told = |error| explain("read", address, &error);
        let mut blocks = store.get(&key).await.map_err(told)?.into_stream();
        while let Some(block) = blocks.next().await {
            take(&block.map_err(told)?)?;
        }
        Ok(())
    })
}

/// Writes a small object in one go.
pub fn write(address: &str, bytes: &[u8]) -> Result<()> {
    send(address, bytes.to_vec())
}

fn send(address: &str, bytes: Vec<u8>) -> Result<()> {
    let (store, key) = Address::of(address)?.object()?;
    wait(async {
        let sent = store.put(&key, PutPayload::from(bytes)).await;
        sent.map(|_| ()).map_err(|error| explain("write", address, &error))
    })
}

/// Copies a file into an object, which is there when it is complete and not before.
pub fn put(file: &Path, address: &str) -> Result<()> {
    let parts = Address::of(address)?;
    let length = file.metadata().map_err(Error::io("read", file))?.len();
    // web servers take an object in one go only
    if length <= PART as u64 || parts.kind == Kind::Web {
        return send(address, std::fs::read(file).map_err(Error::io("read", file))?);
    }
    let (store, key) = parts.object()?;
    let mut file = File::open(file).map_err(Error::io("read", file))?;
    wait(async {
        let told = |error| explain("write", address, &error);
        let upload = store.put_multipart(&key).await.map_err(told)?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PART);
        let mut block = vec![0; PART];
        loop {
            match file.read(&mut block) {
                Ok(0) => return upload.finish().await.map(|_| ()).map_err(told), // which takes back what it sent where it fails
                Ok(count) => {
                    let ready = upload.wait_for_capacity(PARTS_AT_ONCE).await;
                    if let Err(error) = ready {
                        let _ = upload.abort().await; // what is wrong has been told
                        return Err(told(error));
                    }
                    upload.write(&block[..count]);
                }
                Err(error) => {
                    let _ = upload.abort().await;
                    return Err(Error::io("read", public(Path::new(address)))(error));
                }
            }
        }
    })
}

/// Waits for work with a store, unless it is interrupted.
fn wait<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    interrupt::check()?;
    let runtime = match RUNTIME.get() {
        Some(runtime) => runtime,
        None => {
            let made = Builder::new_current_thread().enable_all().build().map_err(Error::io("open", "the network"))?;
            RUNTIME.get_or_init(|| made)
        }
    };
    runtime.block_on(async {
        let interrupted = async {
            while !interrupt::requested() {
                tokio::time::sleep(LOOK).await;
            }
        };
        match select(pin!(work), pin!(interrupted)).await {
            Either::Left((done, _)) => done,
            Either::Right(_) => Err(Error::Interrupted),
        }
    })
}

/// What a store answers as one sentence with its remedy.
fn explain(action: &'static str, address: &str, error: &object_store::Error) -> Error {
    use object_store::Error as Answer;
    let credentials = match in_two(address).1 {
        "" => "set the credentials of the store in the environment (docs/object-stores.md)",
        _ => {
            "a signature ends after some time and is for one method: sign the address again, for GET to read and PUT to write"
        }
    };
    let (kind, text) = match error {
        Answer::NotFound { .. } => (io::ErrorKind::NotFound, "no such object; check the address".to_owned()),
        Answer::PermissionDenied { .. } | Answer::Unauthenticated { .. } => {
            (io::ErrorKind::PermissionDenied, format!("no permission; {credentials}"))
        }
        // where there are no credentials, the machine is asked for its own
        other if other.to_string().contains("169.254.169.254") || other.to_string().contains("metadata.google") => {
            (io::ErrorKind::PermissionDenied, format!("there are no credentials; {credentials}"))
        }
        other => (io::ErrorKind::Other, format!("{}; check the address and the network, and try again", reason(other))),
    };
    Error::io(action, public(Path::new(address)))(io::Error::new(kind, text))
}

/// What lies behind an error, without the words of programs.
fn reason(error: &object_store::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let text = cause.to_string();
    let text = text.replace("Server returned non-2xx status code: ", "the server answered ");
    let line = text.split(['\n', '<', '{']).next().unwrap_or_default().trim().trim_end_matches(':');
    line.split(" (os error").next().unwrap_or(line).to_owned()
}
