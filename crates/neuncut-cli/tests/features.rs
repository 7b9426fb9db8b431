//! Features: chains through `fit` and through `features`, images in folders, and what is reported when they cannot be made.

mod support;

use support::{Dir, FAST};

const SIDE: usize = 28;

/// A picture of stripes in one of three directions, with some noise, as bytes.
fn stripes(number: usize, side: usize, channels: usize) -> Vec<u8> {
    let mut noise = number as u32 + 1;
    let mut pixels = Vec::with_capacity(side * side * channels);
    for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
        let at = [x, y, x + y][number % 3] + number / 3;
        for channel in 0..channels {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let stripe = if (at + channel) % 6 < 3 { 40 } else { 200 };
            pixels.push(stripe + (noise >> 27) as u8);
        }
    }
    pixels
}

fn write_idx(dir: &Dir, name: &str, count: usize) {
    let mut bytes = vec![0, 0, 8, 3];
    [count, SIDE, SIDE].iter().for_each(|&size| bytes.extend((size as u32).to_be_bytes()));
    (0..count).for_each(|number| bytes.extend(stripes(number, SIDE, 1)));
    dir.write(name, bytes);
}

fn write_png(dir: &Dir, name: &str, number: usize, side: usize, color: png::ColorType) {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side as u32, side as u32);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().expect("a PNG header");
    writer.write_image_data(&stripes(number, side, color.samples())).expect("PNG data");
    writer.finish().expect("a PNG file");
    let path = dir.path(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
    dir.write(name, bytes);
}

/// 240 striped images in `images.idx`.
fn with_images() -> Dir {
    let dir = Dir::new();
    write_idx(&dir, "images.idx", 240);
    dir
}

#[test]
fn one_command_and_two_give_identical_labels() {
    let dir = with_images();
    for chain in ["scattering=2,4,pca=20,unit", "center,whiten=10", "resize=12x12,standardize"] {
        dir.ok(&format!("fit images.idx -k 3 --features {chain} {FAST} --labels-out one.npy"));
        dir.ok("predict model.safetensors images.idx -o predicted.npy");
        dir.ok(&format!("features {chain} images.idx -o rows.npy"));
        dir.ok(&format!("fit rows.npy -k 3 {FAST} -o two.safetensors"));
        dir.ok("predict two.safetensors rows.npy -o two.npy");
        assert_eq!(dir.read("one.npy"), dir.read("predicted.npy"), "{chain}");
        assert_eq!(dir.read("one.npy"), dir.read("two.npy"), "{chain}");
    }
    assert!(dir.ok("inspect model.safetensors").out.contains("resize=12x12,standardize\n"));
}

#[test]
fn a_sample_is_the_same_through_both_routes() {
    let dir = with_images();
    let options = "--hidden 64 --epochs 20 --train-rows 150";
    dir.ok(&format!("fit images.idx -k 3 --features scattering=2,4,pca=20 {options} --labels-out one.npy"));
    dir.ok("features scattering=2,4,pca=20 images.idx -o rows.parquet");
    dir.ok(&format!("fit rows.parquet -k 3 {options} --labels-out two.npy"));
    assert_eq!(dir.read("one.npy"), dir.read("two.npy"));
}

#[test]
fn memberships_do_not_depend_on_batch_or_threads() {
    let dir = with_images();
    dir.ok(&format!("fit images.idx -k 3 --features scattering=2,4,pca=20 {FAST}"));
    dir.ok("predict model.safetensors images.idx --proba -o all.npy");
    dir.ok("predict model.safetensors images.idx --proba -o some.npy --batch 7 --threads 1");
    assert_eq!(dir.read("all.npy"), dir.read("some.npy"));
}

#[test]
fn saved_steps_are_used_again() {
    let dir = with_images();
    write_idx(&dir, "few.idx", 30);
    dir.ok("features scattering=2,4,pca=9:centered,unit images.idx -o all.npy --save steps.safetensors");
    dir.ok("features --load steps.safetensors images.idx -o again.npy");
    assert_eq!(dir.read("all.npy"), dir.read("again.npy"));
    dir.ok("features scattering=2,4,pca=9:centered,unit few.idx --load steps.safetensors -o few.csv");
    assert_eq!(dir.text("few.csv").lines().count(), 31);
    dir.fails(
        "features unit few.idx --load steps.safetensors -o x.npy",
        2,
        &["scattering=2,4,pca=9:centered,unit", "leave it out"],
    );
    dir.ok("synth rings -n 30 -o rings.npy");
    dir.fails("features --load steps.safetensors rings.npy -o x.npy", 3, &["rings.npy has 2 columns", "784"]);
    dir.ok(&format!("fit rings.npy -k 2 {FAST}"));
    dir.fails("features --load model.safetensors few.idx -o x.npy", 4, &["not a file of feature steps", "--save"]);
    dir.fails("predict steps.safetensors few.idx -o x.npy", 4, &["not a neuncut model"]);
}

#[test]
fn an_autoencoder_travels_with_the_model() {
    let dir = with_images();
    dir.ok(&format!(
        "fit images.idx -k 3 --features resize=8x8,autoencoder=4 {FAST} --labels-out one.npy --history curves.csv"
    ));
    assert!(dir.text("curves.csv").contains("autoencoder,1,0.001,reconstruction,"));
    dir.ok("predict model.safetensors images.idx -o predicted.npy --batch 100");
    dir.ok("features resize=8x8,autoencoder=4 images.idx -o rows.npy");
    dir.ok(&format!("fit rows.npy -k 3 {FAST} --labels-out two.npy"));
    assert_eq!(dir.read("one.npy"), dir.read("predicted.npy"));
    assert_eq!(dir.read("one.npy"), dir.read("two.npy"));
}

#[test]
fn a_folder_of_images_is_a_table() {
    let dir = with_images();
    for number in 0..240 {
        write_png(&dir, &format!("grey/{}/{number:03}.png", number / 100), number, SIDE, png::ColorType::Grayscale);
    }
    dir.write("grey/notes.txt", "not an image");
    dir.ok("features scattering=2,4 images.idx -o idx.npy");
    dir.ok("features scattering=2,4 grey -o folder.npy");
    assert_eq!(dir.read("idx.npy"), dir.read("folder.npy"));
    for number in 0..30 {
        write_png(&dir, &format!("colour/{number:02}.png"), number, 8 + number, png::ColorType::Rgba);
    }
    dir.fails("features scattering=2,4 colour -o x.npy", 3, &["01.png", "9x9 pixels", "8x8", "resize=WxH"]);
    dir.ok("features resize=12x16,scattering=2,4 colour -o colour.csv");
    let header = dir.text("colour.csv").lines().next().map(|line| line.split(',').count());
    assert_eq!(header, Some(3 * 25 * 4 * 3)); // channels, paths, rows, columns
    dir.ok(&format!("fit colour -k 3 --features resize=12x16,scattering=2,4,pca=5 {FAST} --labels-out fitted.npy"));
    dir.ok("predict model.safetensors colour -o predicted.npy");
    assert_eq!(dir.read("fitted.npy"), dir.read("predicted.npy"));
}

#[test]
fn an_image_that_cannot_be_read_is_named() {
    let dir = Dir::new();
    for number in 0..5 {
        write_png(&dir, &format!("pictures/{number}.png"), number, 8, png::ColorType::Grayscale);
    }
    let whole = dir.read("pictures/3.png");
    dir.write("pictures/3.png", &whole[..whole.len() / 2]);
    dir.fails("features unit pictures -o x.npy", 3, &["3.png", "cannot be read as PNG", "remove it"]);
    dir.write("pictures/3.png", "no image at all");
    dir.fails("fit pictures -k 2", 3, &["3.png", "neither a PNG nor a JPEG"]);
    dir.write("pictures/3.png", "");
    dir.fails("fit pictures -k 2", 3, &["3.png", "empty"]);
    write_png(&dir, "pictures/3.png", 3, 8, png::ColorType::Rgb);
    dir.fails("fit pictures -k 2", 3, &["3.png", "in colour", "grey"]);
    std::fs::remove_file(dir.path("pictures/3.png")).expect("it is there");
    dir.write("pictures/4.gif", "GIF89a");
    dir.fails("fit pictures -k 2", 3, &["4.gif", "not read", "PNG"]);
}

#[test]
fn chains_that_cannot_be_fitted_are_explained() {
    let dir = with_images();
    dir.ok("synth rings -n 300 -o rings.npy");
    let fails = |chain: &str, data: &str, words: &[&str]| {
        dir.fails(&format!("features {chain} {data} -o x.npy"), 2, words);
        dir.fails(&format!("fit {data} -k 2 --features {chain}"), 2, words);
    };
    fails("scatering,unit", "images.idx", &["`scatering`", "scattering=J,L", "pca=N"]);
    fails("pca=zero", "images.idx", &["`pca=zero`"]);
    fails("pca=785", "images.idx", &["pca is 785", "from 1 to 784"]);
    fails("pca=600", "images.idx", &["pca is 600", "the rank of the 240 rows of 784 columns"]);
    fails("whiten=3", "rings.npy", &["whiten is 3", "from 1 to 2"]);
    fails("scattering=5,8", "images.idx", &["28x28", "at least 32x32", "resize=WxH"]);
    fails("scattering", "rings.npy", &["2 columns that are not images", "idx"]);
    fails("pca=5,scattering", "images.idx", &["5 columns that are not images"]);
    fails("resize=0x3", "images.idx", &["`resize=0x3`"]);
    dir.fails("features unit -o x.npy", 2, &["data is not given"]);
}

#[test]
fn encoders_and_their_settings_are_explained() {
    let dir = with_images();
    dir.write("net.onnx", "no network at all");
    let fails = |chain: &str, words: &[&str]| {
        dir.fails(&format!("fit images.idx -k 2 --features {chain}"), 2, words);
    };
    fails("onnx=", &["`onnx=`", "the name of a file", ":mean=R,G,B"]);
    fails("onnx=net.onnx:sise=3", &["`sise=3`", ":size=N"]);
    dir.fails("features onnx=net.onnx images.idx -o net.onnx", 2, &["net.onnx", "a file of its own"]);
    if cfg!(not(feature = "onnx")) {
        fails("onnx=net.onnx:size=8:mean=0.5,0.5,0.5,unit", &["onnx=net.onnx:size=8", "build with `--features onnx`"]);
    }
}

#[test]
fn the_page_of_a_model_of_images_needs_no_shape() {
    let dir = Dir::new();
    let pixel = |row: usize, place: usize| {
        (row * 31 + place * 17) % 5 + 9 * usize::from(place % 8 < 4 && row.is_multiple_of(2))
    };
    let line = |row: usize| (0..64).map(|place| pixel(row, place).to_string()).collect::<Vec<_>>().join(",") + "\n";
    dir.write("rows.csv", (0..60).map(line).collect::<String>());
    dir.ok("fit rows.csv -k 2 --method kmeans --features scattering=2,4,pca=5 --image-shape 8x8 --quiet");
    dir.ok("predict model.safetensors rows.csv -o labels.csv");
    dir.ok("report model.safetensors --data rows.csv -o page.html");
    assert!(dir.text("page.html").contains("data:image/png"), "the page should show images");
}
