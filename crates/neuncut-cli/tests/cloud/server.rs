//! A server on loopback with as much of S3, Google's and Azure's stores as the tests need, and of a plain web server below `/web/`; it
//! ends when it is dropped.

#[path = "azure.rs"]
pub mod azure;

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Objects on one page of a list: few, so that there are several pages.
const PAGE: usize = 2;
/// Longer than this nobody waits.
const PATIENCE: Duration = Duration::from_secs(20);
/// So long a client that hangs is left to itself.
const LONGEST_HANG: Duration = Duration::from_secs(120);

/// What it holds and what it was asked.
#[derive(Default)]
pub struct State {
    /// Objects by `bucket/key`, with a number that grows with each change.
    pub objects: BTreeMap<String, (Vec<u8>, u64)>,
    /// Methods and paths of all requests.
    pub asked: Vec<String>,
    /// Requests with this in their line are refused so many times.
    pub refuse: (String, usize),
    /// Bodies of objects with this in their name are cut so many times.
    pub cut: (String, usize),
    /// Objects with this in their name do not come as long as this is said.
    pub hang: Option<String>,
    /// Whether a client that was left hanging had to be let go.
    pub let_go: bool,
    parts: BTreeMap<(String, u32), Vec<u8>>,
    blocks: HashMap<(String, String), Vec<u8>>,
    changes: u64,
    ended: bool,
}

impl State {
    pub fn put(&mut self, name: &str, bytes: impl Into<Vec<u8>>) {
        self.changes += 1;
        self.objects.insert(name.into(), (bytes.into(), self.changes));
    }

    /// Requests of a method for names with this in them.
    pub fn count(&self, method: &str, name: &str) -> usize {
        self.asked.iter().filter(|line| line.starts_with(method) && line.contains(name)).count()
    }
}

pub struct Server {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (address, state) = (listener.local_addr().expect("an address"), Arc::new(Mutex::new(State::default())));
        let served = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if served.lock().unwrap().ended {
                    return;
                }
                let state = served.clone();
                std::thread::spawn(move || serve(stream, &state));
            }
        });
        Self { address, state }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub fn object(&self, name: &str) -> Vec<u8> {
        self.state().objects.get(name).unwrap_or_else(|| panic!("there is no {name}")).0.clone()
    }

    /// The names of objects below this one.
    pub fn names(&self, below: &str) -> Vec<String> {
        self.state().objects.keys().filter(|name| name.starts_with(below)).cloned().collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state().ended = true;
        let _ = TcpStream::connect(self.address);
    }
}

/// One request and its answer.
fn serve(stream: TcpStream, state: &Mutex<State>) -> Option<()> {
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let (method, target) = line.trim_end().rsplit_once(' ')?.0.split_once(' ')?;
    let mut headers = HashMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let mut body = vec![0; headers.get("content-length").map_or(0, |length| length.parse().unwrap_or(0))];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let query: HashMap<String, String> = query
        .split('&')
        .filter_map(|pair| pair.split_once('=').or(Some((pair, ""))))
        .map(|(a, b)| (a.into(), decoded(b)))
        .collect();
    let name = decoded(path.trim_matches('/'));
    let hangs = {
        let mut state = state.lock().unwrap();
        state.asked.push(format!("{method} {target}"));
        state.hang.as_ref().is_some_and(|hang| method == "GET" && name.contains(hang))
    };
    if hangs {
        let begin = Instant::now();
        while state.lock().unwrap().hang.is_some() {
            if begin.elapsed() > LONGEST_HANG {
                state.lock().unwrap().let_go = true;
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        return None;
    }
    let answer = answer(&mut state.lock().unwrap(), (method, target), (&name, &query), &headers, body);
    let mut stream = stream;
    write!(stream, "HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: {}\r\n", answer.status, answer.length).ok()?;
    for (name, value) in answer.headers {
        write!(stream, "{name}: {value}\r\n").ok()?;
    }
    stream.write_all(b"\r\n").ok()?;
    if method != "HEAD" {
        stream.write_all(&answer.body).ok()?;
    }
    Some(())
}

struct Answer {
    status: &'static str,
    headers: Vec<(&'static str, String)>,
    /// What is promised, which a body that is cut does not keep.
    length: usize,
    body: Vec<u8>,
}

impl Answer {
    fn of(status: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Self { status, headers: Vec::new(), length: body.len(), body }
    }
}

fn answer(
    state: &mut State,
    (method, target): (&str, &str),
    (name, query): (&str, &HashMap<String, String>),
    headers: &HashMap<String, String>,
    body: Vec<u8>,
) -> Answer {
    if state.refuse.1 > 0 && format!("{method} {target}").contains(&state.refuse.0) {
        state.refuse.1 -= 1;
        return Answer::of("500 Internal Server Error", "<Error>thread 'x' panicked</Error>");
    }
    if !is_allowed(method, name, query, headers) {
        return Answer::of("403 Forbidden", "<Error><Code>AccessDenied</Code></Error>");
    }
    let name = name.strip_prefix(azure::ACCOUNT).map_or(name, |rest| rest.trim_start_matches('/'));
    if let Some(answer) = azure::answer(state, name, query, &body) {
        return answer;
    }
    match (method, query.get("uploadId"), query.get("partNumber").and_then(|part| part.parse().ok())) {
        ("GET", _, _) if query.contains_key("list-type") => list(state, name, query),
        ("GET" | "HEAD", _, _) => object(state, name, headers),
        ("POST", None, _) => Answer::of(
            "200 OK",
            "<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>",
        ),
        ("PUT", Some(_), Some(part)) => {
            state.parts.insert((name.into(), part), body);
            Answer { headers: vec![("ETag", format!("\"{part}\""))], ..Answer::of("200 OK", "") }
        }
        ("POST", Some(_), _) => {
            let parts: Vec<u8> = state
                .parts
                .range((name.into(), 0)..=(name.into(), u32::MAX))
                .flat_map(|(_, part)| part.clone())
                .collect();
            state.put(name, parts);
            let done = "<CompleteMultipartUploadResult><ETag>\"all\"</ETag></CompleteMultipartUploadResult>";
            Answer::of("200 OK", done)
        }
        ("PUT", None, _) => {
            state.put(name, body);
            Answer { headers: vec![("ETag", format!("\"{}\"", state.changes))], ..Answer::of("200 OK", "") }
        }
        ("DELETE", _, _) => {
            state.objects.remove(name);
            Answer::of("204 No Content", "")
        }
        _ => Answer::of("405 Method Not Allowed", ""),
    }
}

/// Whether a request has the credentials of its kind of store. A web server asks for a signature, which is for one method, below
/// `web/signed/`.
fn is_allowed(method: &str, name: &str, query: &HashMap<String, String>, headers: &HashMap<String, String>) -> bool {
    if name.starts_with("web/signed/") {
        return query.get("X-Signature").is_some_and(|signature| *signature == format!("{method}/secret+"));
    }
    let authorization = headers.get("authorization").map_or("", String::as_str);
    let known = ["AWS4-HMAC-SHA256 Credential=test/", "SharedKey devstoreaccount1:", "SharedKey test:"];
    name.starts_with("web/")
        || known.iter().any(|known| authorization.starts_with(known))
        || authorization == "Bearer test"
}

fn object(state: &mut State, name: &str, headers: &HashMap<String, String>) -> Answer {
    let Some((bytes, change)) = state.objects.get(name) else { return Answer::of("404 Not Found", "") };
    let facts = vec![("ETag", format!("\"{change}\"")), ("Last-Modified", date(*change))];
    let range = headers.get("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
    let mut answer = match range {
        None => Answer { headers: facts, ..Answer::of("200 OK", bytes.clone()) },
        Some((from, to)) => {
            let from: usize = from.parse().unwrap_or(0);
            let to = to.parse().unwrap_or(bytes.len() - 1).min(bytes.len() - 1);
            let range = ("Content-Range", format!("bytes {from}-{to}/{}", bytes.len()));
            let headers = facts.into_iter().chain([range]).collect();
            Answer { headers, ..Answer::of("206 Partial Content", &bytes[from..=to]) }
        }
    };
    if state.cut.1 > 0 && name.contains(&state.cut.0) {
        state.cut.1 -= 1;
        answer.body.truncate(answer.body.len() / 2);
    }
    answer
}

fn list(state: &State, bucket: &str, query: &HashMap<String, String>) -> Answer {
    let prefix = format!("{bucket}/{}", query.get("prefix").map_or("", String::as_str));
    let after = query.get("continuation-token").cloned().unwrap_or_default();
    let mut found = state.objects.iter().filter(|(name, _)| name.starts_with(&prefix) && **name > after).peekable();
    let (mut text, mut last) = (String::new(), String::new());
    for (name, (bytes, change)) in found.by_ref().take(PAGE) {
        let (key, size) = (name.strip_prefix(bucket).unwrap_or(name).trim_start_matches('/'), bytes.len());
        text += &format!(
            "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:{change:02}.000Z</LastModified><ETag>\"{change}\"</ETag><Size>{size}</Size></Contents>"
        );
        last.clone_from(name);
    }
    let more = match found.peek() {
        Some(_) => format!("<IsTruncated>true</IsTruncated><NextContinuationToken>{last}</NextContinuationToken>"),
        None => "<IsTruncated>false</IsTruncated>".into(),
    };
    Answer::of("200 OK", format!("<ListBucketResult>{text}{more}</ListBucketResult>"))
}

/// A date for each change; seconds are all that a header tells.
fn date(change: u64) -> String {
    format!("Thu, 01 Jan 2026 00:{:02}:{:02} GMT", change / 60 % 60, change % 60)
}

fn decoded(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let digits: String = bytes.by_ref().take(2).map(char::from).collect();
                out.push(u8::from_str_radix(&digits, 16).unwrap_or(b'?'));
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
