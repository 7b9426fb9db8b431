//! Objects in stores in the place of files, by the real binary and a server on loopback. `cargo xtask cloud` runs it.

mod support;

#[path = "cloud/server.rs"]
mod server;

use server::Server;
use std::process::Command;
use std::time::{Duration, Instant};
use support::{Dir, FAST, Run};

/// A directory with a model of two groups and five shards, and a server that holds these as well.
fn with_shards() -> (Dir, Server) {
    let (dir, server) = (Dir::new(), Server::start());
    std::fs::create_dir_all(dir.path("in/day=1")).expect("a folder");
    std::fs::create_dir(dir.path("temporary")).expect("a folder");
    for shard in 0..5 {
        let row = |i: usize| format!("{},{},{}\n", 100 * shard + i, i % 7, (i % 2) * 50 + i % 3);
        let text = "id,x,y\n".to_owned() + &(0..60).map(row).collect::<String>();
        let name = if shard == 4 { "in/day=1/e.csv".into() } else { format!("in/{shard}.csv") };
        dir.write(&name, &text);
        server.state().put(&format!("bucket/{name}"), text);
    }
    server.state().put("bucket/in/_SUCCESS", "");
    server.state().put("bucket/in/notes.md", "no table");
    dir.ok(&format!("fit in/0.csv -k 2 {FAST} --quiet"));
    server.state().put("bucket/models/m.safetensors", dir.read("model.safetensors"));
    (dir, server)
}

/// The binary, with the server as S3.
fn command(dir: &Dir, server: &Server, line: &str) -> Command {
    let mut command = dir.command(line);
    for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
        command.env_remove(name);
    }
    let address = format!("http://{}", server.address);
    command.env("AWS_ENDPOINT", &address).env("TMPDIR", dir.path("temporary"));
    command.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", "secret");
    command.env("GOOGLE_BASE_URL", &address).env("GOOGLE_BEARER_TOKEN", "test");
    command.env("AZURE_STORAGE_USE_EMULATOR", "true").env("AZURITE_BLOB_STORAGE_URL", &address);
    command
}

fn run(dir: &Dir, server: &Server, line: &str) -> Run {
    let run = Run::new(line, command(dir, server, line).output().expect("the binary starts"));
    let left = std::fs::read_dir(dir.path("temporary")).expect("a folder").count();
    assert_eq!(left, 0, "`{line}` should leave no temporary files");
    run
}

fn ok(dir: &Dir, server: &Server, line: &str) -> Run {
    let run = run(dir, server, line);
    assert_eq!(run.code, 0, "`{line}` failed: {}", run.err);
    assert!(!run.err.contains("temporary/"), "`{line}` should name objects: {}", run.err);
    run
}

fn fails(dir: &Dir, server: &Server, line: &str, code: i32, words: &[&str]) {
    let run = run(dir, server, line);
    assert_eq!(run.code, code, "`{line}`: {}", run.err);
    assert_eq!(run.err.lines().count(), 1, "`{line}` should say one sentence: {}", run.err);
    for word in words {
        assert!(run.err.contains(word), "`{line}` should say {word:?}: {}", run.err);
    }
    for word in ["Error {", "os error", "panicked", "temporary/", "<", "{"] {
        assert!(!run.err.contains(word), "`{line}` should not say {word:?}: {}", run.err);
    }
}

#[test]
fn objects_stand_in_the_place_of_files() {
    let (dir, server) = with_shards();
    let line = format!(
        "fit s3://bucket/in/*.csv -k 2 {FAST} -o s3://bucket/out/m.safetensors --labels-out s3://bucket/out/l.csv"
    );
    let fitted = ok(&dir, &server, &line);
    assert!(fitted.err.contains("model written to s3://bucket/out/m.safetensors"), "{}", fitted.err);
    dir.ok(&format!("fit in/*.csv -k 2 {FAST} -o here.safetensors --labels-out here.csv"));
    assert_eq!(server.object("bucket/out/l.csv"), dir.read("here.csv"));
    dir.write("there.safetensors", server.object("bucket/out/m.safetensors"));
    dir.ok("predict there.safetensors in/0.csv -o there.csv");
    dir.ok("predict here.safetensors in/0.csv -o again.csv");
    assert_eq!(dir.read("there.csv"), dir.read("again.csv"));
    // one output of all tables below a folder, whose keys are columns
    ok(&dir, &server, "predict s3://bucket/out/m.safetensors s3://bucket/in/ -o s3://bucket/out/all.parquet");
    dir.ok("predict here.safetensors in -o all.parquet");
    assert_eq!(server.object("bucket/out/all.parquet"), dir.read("all.parquet"));
    ok(&dir, &server, "eval s3://bucket/out/all.parquet s3://bucket/out/all.parquet");
    dir.write("list.txt", "s3://bucket/in/0.csv\nin/1.csv\n");
    let listed = ok(&dir, &server, "predict s3://bucket/out/m.safetensors @list.txt --keep id");
    assert_eq!(listed.out.lines().count(), 121);
    ok(&dir, &server, "inspect s3://bucket/out/m.safetensors");
    ok(&dir, &server, "synth moons -n 3000000 -o s3://bucket/out/large.npy");
    assert_eq!(server.object("bucket/out/large.npy").len(), 128 + 3_000_000 * 8);
    assert!(server.state().count("PUT", "partNumber=2") == 1, "a large object goes in parts");
}

#[test]
fn shards_are_labelled_one_by_one_and_resumed() {
    let (dir, server) = with_shards();
    dir.ok("predict model.safetensors in -o expected/ --quiet");
    let line = "predict s3://bucket/models/m.safetensors s3://bucket/in/ -o s3://bucket/out/";
    let first = ok(&dir, &server, &format!("{line} --shard 2/2"));
    assert!(first.err.contains("2 files labelled into s3://bucket/out/, 0 were there already"), "{}", first.err);
    let rest = ok(&dir, &server, line);
    assert!(rest.err.contains("3 files labelled into s3://bucket/out/, 2 were there already"), "{}", rest.err);
    for name in ["0.csv", "1.csv", "2.csv", "3.csv", "day=1/e.csv"] {
        assert_eq!(server.object(&format!("bucket/out/{name}")), dir.read(&format!("expected/{name}")), "{name}");
    }
    let record: serde_json::Value = serde_json::from_slice(&server.object("bucket/out/manifest/0.csv.json")).unwrap();
    assert_eq!((&record["input"], &record["rows"]), (&"s3://bucket/in/0.csv".into(), &60.into()));
    let put = server.state().count("PUT", "");
    assert!(ok(&dir, &server, line).err.contains("0 files labelled"));
    assert_eq!(server.state().count("PUT", ""), put, "nothing is written again");
    // an input that is newer, and an output that is gone
    let newer = server.object("bucket/in/1.csv");
    server.state().put("bucket/in/1.csv", newer);
    server.state().objects.remove("bucket/out/3.csv");
    assert!(ok(&dir, &server, line).err.contains("2 files labelled"));
    // from here to there and from there to here
    ok(&dir, &server, "predict model.safetensors in/*.csv -o s3://bucket/other/");
    assert_eq!(server.object("bucket/other/2.csv"), dir.read("expected/2.csv"));
    ok(&dir, &server, "predict model.safetensors s3://bucket/in/?.csv -o fetched/");
    assert_eq!(dir.read("fetched/2.csv"), dir.read("expected/2.csv"));
    assert!(ok(&dir, &server, "predict model.safetensors s3://bucket/in/?.csv -o fetched/").err.contains("0 files"));
    // a shard that cannot be used does not keep the others from being labelled
    server.state().put("bucket/in/0.csv", "id,x,y\n1,2\n");
    server.state().put("bucket/in/1.csv", "id,x,y\n1,2,3\n");
    let run = run(&dir, &server, line);
    assert!(run.code == 3 && run.err.contains("s3://bucket/in/0.csv: line 2 has 2 fields"), "{}", run.err);
    assert!(run.err.contains("1 file labelled into s3://bucket/out/"), "{}", run.err);
}

#[test]
fn a_run_that_was_interrupted_is_resumed() {
    let (dir, server) = with_shards();
    dir.ok("predict model.safetensors in -o expected/ --quiet");
    server.state().hang = Some("in/2.csv".into());
    let line = "predict s3://bucket/models/m.safetensors s3://bucket/in/ -o s3://bucket/out/";
    let mut child =
        command(&dir, &server, line).stderr(std::process::Stdio::null()).spawn().expect("the binary starts");
    let begin = Instant::now();
    while server.state().count("GET", "in/2.csv") == 0 && begin.elapsed() < Duration::from_secs(15) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(!server.state().let_go, "it waits for the server");
    assert_eq!(server.state().count("GET", "e.csv"), 0, "it asks for more");
    assert_eq!(server.names("bucket/out/").len(), 4, "two outputs and their records");
    server.state().hang = None;
    assert!(ok(&dir, &server, line).err.contains("3 files labelled into s3://bucket/out/, 2 were there already"));
    for name in ["0.csv", "2.csv", "day=1/e.csv"] {
        assert_eq!(server.object(&format!("bucket/out/{name}")), dir.read(&format!("expected/{name}")), "{name}");
    }
}

#[test]
fn the_stores_of_google_and_azure() {
    let (dir, server) = with_shards();
    dir.ok("predict model.safetensors in -o expected/ --quiet");
    for store in ["gs://bucket", "az://bucket"] {
        let line =
            format!("fit {store}/in/?.csv -k 2 {FAST} -o {store}/out/m.safetensors --labels-out {store}/out/l.csv");
        ok(&dir, &server, &line);
        dir.ok(&format!("fit in/?.csv -k 2 {FAST} -o here.safetensors --labels-out here.csv"));
        assert_eq!(server.object("bucket/out/l.csv"), dir.read("here.csv"), "{store}");
        let line = format!("predict {store}/models/m.safetensors {store}/in/ -o {store}/labelled/");
        let first = ok(&dir, &server, &format!("{line} --shard 2/2"));
        let said = format!("2 files labelled into {store}/labelled/, 0 were there already");
        assert!(first.err.contains(&said), "{}", first.err);
        let rest = ok(&dir, &server, &line);
        let said = format!("3 files labelled into {store}/labelled/, 2 were there already");
        assert!(rest.err.contains(&said), "{}", rest.err);
        assert!(ok(&dir, &server, &line).err.contains("0 files labelled"));
        for name in ["0.csv", "1.csv", "2.csv", "3.csv", "day=1/e.csv"] {
            let labelled = server.object(&format!("bucket/labelled/{name}"));
            assert_eq!(labelled, dir.read(&format!("expected/{name}")), "{store}: {name}");
        }
        ok(&dir, &server, &format!("synth moons -n 3000000 -o {store}/out/large.npy"));
        assert_eq!(server.object("bucket/out/large.npy").len(), 128 + 3_000_000 * 8, "{store}");
        let none = format!("predict model.safetensors {store}/none.csv");
        fails(&dir, &server, &none, 5, &[&format!("cannot read {store}/none.csv: no such object")]);
        server.state().refuse = ("PUT".into(), 100);
        let line = format!("predict model.safetensors in/0.csv --quiet -o {store}/labels.csv");
        fails(&dir, &server, &line, 5, &[&format!("cannot write {store}/labels.csv: the server answered 500")]);
        server.state().refuse.1 = 0;
        server
            .state()
            .objects
            .retain(|name, _| !name.starts_with("bucket/out/") && !name.starts_with("bucket/labelled/"));
    }
    assert!(server.state().count("PUT", "comp=blocklist") == 1, "a large object of Azure goes in blocks");
    // an account of one's own behind another address, and credentials that are not known
    let address = format!("http://{}", server.address);
    let own = |line: &str, variables: &[(&str, &str)]| {
        let mut command = command(&dir, &server, line);
        command.env_remove("AZURE_STORAGE_USE_EMULATOR");
        let output = command.envs(variables.iter().copied()).output().expect("the binary starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let key = "c2VjcmV0";
    let azure = ("AZURE_STORAGE_ENDPOINT", &*address);
    let account = |name| [azure, ("AZURE_STORAGE_ACCOUNT_NAME", name), ("AZURE_STORAGE_ACCOUNT_KEY", key)];
    let line = "predict model.safetensors az://bucket/in/0.csv --quiet -o own.csv";
    assert_eq!(own(line, &account("test")), (Some(0), String::new()));
    assert_eq!(dir.read("own.csv"), dir.read("expected/0.csv"));
    let (code, said) = own(line, &account("other"));
    assert!(code == Some(5) && said.contains("az://bucket/in/0.csv: no permission; set the credentials"), "{said}");
    let line = "predict model.safetensors gs://bucket/in/1.csv --quiet -o own.csv";
    let (code, said) = own(line, &[("GOOGLE_BEARER_TOKEN", "other")]);
    assert!(code == Some(5) && said.contains("gs://bucket/in/1.csv: no permission; set the credentials"), "{said}");
}

#[test]
fn signed_addresses_are_used_and_kept_secret() {
    let (dir, server) = with_shards();
    dir.ok("predict model.safetensors in/*.csv -o expected/ --quiet");
    for name in ["0.csv", "1.csv"] {
        server.state().put(&format!("web/signed/{name}"), dir.read(&format!("in/{name}")));
    }
    server.state().put("web/signed/m.safetensors", dir.read("model.safetensors"));
    let web = format!("http://{}/web", server.address);
    let signed = |name: &str, method: &str| format!("{web}/signed/{name}?X-Date=1&X-Signature={method}%2Fsecret%2B");
    let (model, rows, labels) = (signed("m.safetensors", "GET"), signed("0.csv", "GET"), signed("labels.csv", "PUT"));
    let secret = |text: &str| text.contains("secret") || text.contains("X-Signature");
    let told = ok(&dir, &server, &format!("predict {model} {rows} -o {labels} --json"));
    assert!(!secret(&told.err) && !secret(&told.out), "{} {}", told.err, told.out);
    assert!(told.err.contains(&format!("into {web}/signed/labels.csv")), "{}", told.err);
    assert_eq!(server.object("web/signed/labels.csv"), dir.read("expected/0.csv"));
    // into a folder, one by one: a new signature is no reason to label again
    dir.write("list.txt", format!("{rows}\n{}\n", signed("1.csv", "GET")));
    ok(&dir, &server, "predict model.safetensors @list.txt -o labelled/");
    assert_eq!(dir.read("labelled/1.csv"), dir.read("expected/1.csv"));
    assert!(!secret(&dir.text("labelled/manifest/0.csv.json")), "{}", dir.text("labelled/manifest/0.csv.json"));
    dir.write("list.txt", format!("{rows}&again=1\n{}&again=1\n", signed("1.csv", "GET")));
    let again = ok(&dir, &server, "predict model.safetensors @list.txt -o labelled/");
    assert!(again.err.contains("0 files labelled into labelled/, 2 were there already"), "{}", again.err);
    // the same object twice by different signatures is one name and two objects
    let both = ok(&dir, &server, &format!("predict model.safetensors {rows} {rows}&x=1 --keep none"));
    assert_eq!(both.out.lines().count(), 121);
    ok(&dir, &server, &format!("fit {rows} -k 2 {FAST} -o fitted.safetensors"));
    let inspected = dir.ok("inspect fitted.safetensors --json").out;
    assert!(!secret(&inspected) && !String::from_utf8_lossy(&dir.read("fitted.safetensors")).contains("X-Signature"));
    let wrong = signed("0.csv", "PUT");
    let gone = signed("none.csv", "GET");
    let nobody = "http://127.0.0.1:9/a.csv?X-Signature=secret";
    for (line, words) in [
        (
            format!("predict model.safetensors {wrong}"),
            &["signed/0.csv: no permission; a signature", "sign the address again"][..],
        ),
        (format!("predict model.safetensors {gone}"), &["signed/none.csv: no such object"][..]),
        (
            format!("predict model.safetensors {nobody}"),
            &["cannot read http://127.0.0.1:9/a.csv: Connection refused"][..],
        ),
        (format!("predict {rows} {rows}"), &["is not a neuncut model"][..]),
        (format!("predict model.safetensors {rows}#top"), &["has a mark"][..]),
        (format!("predict model.safetensors {rows} -o {rows}"), &["a file of its own"][..]),
        (format!("inspect {web}/?X-Signature=secret"), &["names a folder"][..]),
    ] {
        let run = run(&dir, &server, &line);
        assert!(run.code != 0 && run.err.lines().count() == 1 && !secret(&run.err), "`{line}`: {}", run.err);
        assert!(words.iter().all(|word| run.err.contains(word)), "`{line}`: {}", run.err);
    }
}

#[test]
fn web_servers_and_faults() {
    let (dir, server) = with_shards();
    dir.ok("predict model.safetensors in/0.csv -o expected.csv");
    let web = format!("http://{}/web", server.address);
    server.state().put("web/a b.csv", dir.read("in/0.csv"));
    server.state().put("web/m.safetensors", dir.read("model.safetensors"));
    ok(&dir, &server, &format!("predict {web}/m.safetensors {web}/a%20b.csv -o labels.csv"));
    assert_eq!(dir.read("labels.csv"), dir.read("expected.csv"));
    // what goes wrong for a while is tried again
    server.state().refuse = ("a%20b".into(), 2);
    server.state().cut = ("a b".into(), 1);
    ok(&dir, &server, &format!("predict {web}/m.safetensors {web}/a%20b.csv -o {web}/labels.csv"));
    assert_eq!(server.object("web/labels.csv"), dir.read("expected.csv"));
    server.state().refuse = ("PUT".into(), 100);
    let line = "predict model.safetensors in/0.csv --quiet -o s3://bucket/labels.csv";
    fails(
        &dir,
        &server,
        line,
        5,
        &["cannot write s3://bucket/labels.csv: the server answered 500 Internal Server Error"],
    );
    assert!(server.names("bucket/labels.csv").is_empty());
    server.state().refuse.1 = 0;
    let fails = |line: &str, code: i32, words: &[&str]| fails(&dir, &server, line, code, words);
    fails(&format!("predict model.safetensors {web}/none.csv"), 5, &["none.csv: no such object; check the address"]);
    fails("predict model.safetensors s3://bucket/none.csv", 5, &["cannot read s3://bucket/none.csv: no such object"]);
    fails("predict model.safetensors s3://bucket/none/*.csv", 3, &["s3://bucket/none/*.csv: no object matches"]);
    fails(&format!("predict model.safetensors {web}/*.csv"), 2, &["does not list its files", "@FILE"]);
    fails("predict model.safetensors ftp://a/b.csv", 2, &["of no known store"]);
    fails("predict model.safetensors s3:///b.csv", 2, &["names no bucket"]);
    fails("predict model.safetensors s3://bucket/in/../b.csv", 2, &["need names other than"]);
    fails("predict model.safetensors s3://bucket/in/[", 2, &["is not a valid glob"]);
    fails("inspect s3://bucket/", 2, &["names a folder"]);
    fails("predict model.safetensors s3://bucket/in/0.csv -o s3://bucket/in/0.csv", 2, &["a file of its own"]);
    fails("compare in/0.csv --truth in/0.csv -o s3://bucket/out", 2, &["a folder of this machine"]);
    server.state().put("bucket/in/bad.csv", "id,x,y\n1,2,\n");
    fails(
        "predict model.safetensors s3://bucket/in/bad.csv",
        3,
        &["s3://bucket/in/bad.csv: line 2, column y is empty"],
    );
    fails(
        "predict model.safetensors http://127.0.0.1:9/a.csv",
        5,
        &["cannot read http://127.0.0.1:9/a.csv: Connection refused"],
    );
    let mut unknown = command(&dir, &server, "predict model.safetensors s3://bucket/in/0.csv");
    let output = unknown.env("AWS_ACCESS_KEY_ID", "other").output().expect("the binary starts");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no permission; set the credentials"), "{output:?}");
}
