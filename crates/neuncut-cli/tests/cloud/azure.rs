//! What Azure asks for otherwise than S3: lists of a container, blocks, and the list of blocks that makes an object of them.

use super::{Answer, PAGE, State, date};
use std::collections::HashMap;

/// The account of the emulator, which stands before the container in its paths.
pub const ACCOUNT: &str = "devstoreaccount1";

/// The answer, where a request is one of Azure's own.
pub(super) fn answer(state: &mut State, name: &str, query: &HashMap<String, String>, body: &[u8]) -> Option<Answer> {
    match (query.get("comp")?.as_str(), query.get("blockid")) {
        ("list", _) => Some(list(state, name, query)),
        ("block", Some(block)) => {
            state.blocks.insert((name.into(), block.clone()), body.to_vec());
            Some(Answer::of("201 Created", ""))
        }
        ("blocklist", _) => {
            let text = String::from_utf8_lossy(body);
            let blocks = text.split("<Uncommitted>").skip(1).filter_map(|rest| rest.split('<').next());
            let whole =
                blocks.flat_map(|block| state.blocks[&(name.into(), block.into())].clone()).collect::<Vec<u8>>();
            state.put(name, whole);
            Some(Answer { headers: vec![("ETag", "\"all\"".into())], ..Answer::of("201 Created", "") })
        }
        _ => None,
    }
}

fn list(state: &State, container: &str, query: &HashMap<String, String>) -> Answer {
    let prefix = format!("{container}/{}", query.get("prefix").map_or("", String::as_str));
    let after = query.get("marker").cloned().unwrap_or_default();
    let mut found = state.objects.iter().filter(|(name, _)| name.starts_with(&prefix) && **name > after).peekable();
    let (mut text, mut last) = (String::new(), String::new());
    for (name, (bytes, change)) in found.by_ref().take(PAGE) {
        let (key, size) = (name.strip_prefix(container).unwrap_or(name).trim_start_matches('/'), bytes.len());
        let date = date(*change);
        text += &format!(
            "<Blob><Name>{key}</Name><Properties><Last-Modified>{date}</Last-Modified><Etag>{change}</Etag>\
             <Content-Length>{size}</Content-Length><Content-Type>text/csv</Content-Type></Properties></Blob>"
        );
        last.clone_from(name);
    }
    let marker = found.peek().map_or(String::new(), |_| last);
    let more = format!("<NextMarker>{marker}</NextMarker>");
    Answer::of("200 OK", format!("<EnumerationResults><Blobs>{text}</Blobs>{more}</EnumerationResults>"))
}
