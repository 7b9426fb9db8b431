//! The page of `report` in headless Chromium: it loads without errors, the pictures are there, the controls work.
//!
//! `cargo xtask test` finds or installs a browser and runs it; by hand: `cargo test --test page -- --ignored` with `chromium` in
//! PATH or its path in NEUNCUT_CHROMIUM.

mod support;

use serde_json::Value;
use std::process::Command;
use support::Dir;

/// Goes first, so that nothing that fails is missed.
const BEFORE: &str =
    "<script>window.problems = []; addEventListener('error', (e) => problems.push(String(e.message)));</script>";

/// Uses every control as a reader would and leaves what it saw in the page.
const AFTER: &str = r##"<script>
const seen = {};
const $ = (query) => document.querySelector(query), all = (query) => [...document.querySelectorAll(query)];
const change = (query, value) => { $(query).value = value; $(query).dispatchEvent(new Event("change")); };
const colour = (mark) => getComputedStyle(mark).color;
seen.ready = document.documentElement.dataset.ready;
seen.marks = all("#map path").length;
seen.panels = all(".nn-panels svg").length;
seen.cards = all(".nn-card").map((card) => card.textContent);
seen.sizes = all(".nn-size").length;
seen.confusion = all("#confusion td").length;
seen.strips = all("#rows .nn-strip").length;
seen.images = all("#rows .nn-image").length;
seen.wide = document.documentElement.scrollWidth <= innerWidth;
const before = all("#map path").map(colour).join();
seen.colours = [...$("#colour").options].map((option) => option.value);
seen.repainted = seen.colours.slice(1).map((name) => { change("#colour", name); return all("#map path").map(colour).join() !== before; });
seen.legend = $("#legend").children.length;
change("#colour", "cluster");
seen.back = all("#map path").map(colour).join() === before;
change("#cluster", "1");
seen.off = all("#map path.nn-off").length;
seen.chosen = all(".nn-size[aria-pressed=true]").map((b) => b.dataset.cluster);
seen.title = $("#rows h3").textContent;
$(".nn-size[data-cluster='1']").click();
seen.offAgain = all("#map path.nn-off").length;
const box = all("#map path")[0].getBoundingClientRect();
const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true };
$("#map").dispatchEvent(new PointerEvent("pointermove", at));
seen.tip = $("#tip").hidden ? null : $("#tip").textContent;
$("#map").dispatchEvent(new PointerEvent("pointerleave", at));
seen.tipGone = $("#tip").hidden;
seen.problems = window.problems;
const outcome = document.createElement("pre");
outcome.id = "outcome";
outcome.textContent = JSON.stringify(seen);
document.body.append(outcome);
</script>"##;

/// Opens a page of the directory; gives what the script saw.
fn browse(dir: &Dir, page: &str, size: &str) -> Value {
    let html = dir.text(page);
    let addresses: Vec<&str> = html.matches("http").collect();
    assert_eq!(addresses.len(), html.matches("http://www.w3.org/2000/svg").count(), "{page} should need no network");
    let tried =
        html.replacen("<head>", &format!("<head>{BEFORE}"), 1).replacen("</body>", &format!("{AFTER}</body>"), 1);
    dir.write("tried.html", tried);
    let browser = std::env::var("NEUNCUT_CHROMIUM").unwrap_or_else(|_| "chromium".into());
    let profile = tempfile::tempdir().expect("a temporary directory");
    let output = Command::new(&browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--window-size={size}"))
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", dir.path("tried.html").display()))
        .output()
        .unwrap_or_else(|e| panic!("{browser} does not start: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains(":CONSOLE"), "{page} complains: {said}");
    let dom = String::from_utf8_lossy(&output.stdout);
    let outcome = dom.split("<pre id=\"outcome\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let outcome = outcome.unwrap_or_else(|| panic!("the script did not end: {said}"));
    let text = outcome.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).expect("JSON")
}

/// What every page must show.
fn check(seen: &Value, clusters: usize) {
    assert_eq!((&seen["ready"], &seen["problems"]), (&"yes".into(), &Value::Array(vec![])), "{seen}");
    assert!(seen["marks"].as_u64() > Some(100) && seen["panels"].as_u64() >= Some(4), "{seen}");
    assert_eq!(seen["sizes"], clusters, "{seen}");
    assert_eq!((&seen["wide"], &seen["back"], &seen["tipGone"]), (&true.into(), &true.into(), &true.into()), "{seen}");
    assert!(seen["repainted"].as_array().is_some_and(|all| all.iter().all(|changed| changed == true)), "{seen}");
    assert!(
        seen["off"].as_u64() > Some(0) && seen["offAgain"] == 0 && seen["chosen"] == serde_json::json!(["1"]),
        "{seen}"
    );
    assert!(seen["title"].as_str().is_some_and(|title| title.starts_with("Cluster 1")), "{seen}");
    assert!(seen["tip"].as_str().is_some_and(|tip| tip.contains("row") && tip.contains("cluster")), "{seen}");
}

#[test]
#[ignore = "needs Chromium: `cargo xtask test` runs it"]
fn a_page_of_images_with_known_classes() {
    let dir = Dir::new();
    // bright squares in one of three places, 8 x 8 pixels
    let (mut pixels, mut classes) = (Vec::new(), String::new());
    for row in 0..300_usize {
        let class = row % 3;
        classes += &format!("{class}\n");
        pixels.extend((0..64).map(|at| {
            let inside = at % 8 / 3 == class && at / 8 / 3 == class;
            if inside { 200 + (row * 7 + at) % 50 } else { (row * 13 + at * 5) % 40 }
        }));
    }
    let mut idx = vec![0, 0, 8, 3, 0, 0, 1, 44, 0, 0, 0, 8, 0, 0, 0, 8];
    idx.extend(pixels.iter().map(|pixel| *pixel as u8));
    dir.write("images.idx", idx);
    dir.write("classes.csv", classes);
    dir.ok("fit images.idx -k 3 --hidden 32 --epochs 5 --landmarks 200 --truth classes.csv --report page.html");
    let seen = browse(&dir, "page.html", "1280,900");
    check(&seen, 3);
    assert_eq!((&seen["confusion"], &seen["legend"]), (&9.into(), &2.into()), "{seen}");
    assert_eq!(seen["colours"], serde_json::json!(["cluster", "confidence", "class", "wrong"]));
    assert!(seen["images"].as_u64() > Some(20), "{seen}");
    assert!(seen["cards"][0].as_str().is_some_and(|card| card.contains("accuracy")), "{seen}");
}

#[test]
#[ignore = "needs Chromium: `cargo xtask test` runs it"]
fn a_page_of_a_model_on_a_narrow_screen() {
    let dir = Dir::with_rings();
    dir.ok("fit rings.npy -k 2 --hidden 32 --epochs 5");
    dir.ok("report model.safetensors -o page.html --svg pictures");
    let seen = browse(&dir, "page.html", "500,800"); // headless Chromium has no narrower window
    check(&seen, 2);
    assert_eq!((&seen["confusion"], &seen["images"]), (&0.into(), &0.into()), "{seen}");
    assert!(seen["strips"].as_u64() == Some(4), "{seen}");
    for name in ["map.svg", "sizes.svg", "curves.svg"] {
        assert!(dir.text(&format!("pictures/{name}")).contains("</svg>"), "{name}");
    }
}
