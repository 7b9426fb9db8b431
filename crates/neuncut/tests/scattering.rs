//! The scattering transform against kymatio 0.3 (see golden/scattering.py).

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on fails; differences are shown")]

use ndarray::{Array2, s};
use neuncut::Cores;
use neuncut::data::ImageShape;
use neuncut::features::{Resize, Scattering};
use safetensors::SafeTensors;
use safetensors::tensor::Dtype;

const GOLDEN: &[u8] = include_bytes!("golden/scattering.safetensors");

fn tensor(name: &str) -> Array2<f32> {
    let file = SafeTensors::deserialize(GOLDEN).unwrap();
    let view = file.tensor(name).unwrap();
    let values: Vec<f32> = match view.dtype() {
        Dtype::U8 => view.data().iter().map(|&b| f32::from(b)).collect(),
        _ => view.data().chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect(),
    };
    let rows = view.shape()[0];
    Array2::from_shape_vec((rows, values.len() / rows), values).unwrap()
}

fn grey(height: usize, width: usize) -> ImageShape {
    ImageShape { height, width, channels: 1 }
}

fn largest<'a>(found: impl IntoIterator<Item = &'a f32>, expected: impl IntoIterator<Item = &'a f32>) -> f32 {
    found.into_iter().zip(expected).fold(0.0, |a, (x, y)| a.max((x - y).abs()))
}

#[test]
fn agrees_with_kymatio_on_32_images() {
    let scattering = Scattering::new(grey(32, 32), 3, 8).unwrap();
    assert_eq!((scattering.paths(), scattering.n_features()), ([1, 24, 192], 3472));
    let resize = Resize::new(grey(28, 28), 32, 32, true).unwrap();
    let positions = tensor("positions").mapv(|p| p as usize);
    for name in ["mnist", "fashion"] {
        let images = resize.apply(tensor(&format!("{name}.images")).view()) / 255.0;
        let found = scattering.coefficients(images.view(), Cores::All);
        assert_eq!(found, scattering.coefficients(images.view(), Cores::One));
        let some = tensor(&format!("{name}.some"));
        let mut first = 0;
        for (order, count) in scattering.paths().into_iter().enumerate() {
            let mut difference = 0.0_f32;
            for path in first..first + count {
                for (p, &position) in positions.iter().enumerate() {
                    let (x, y) = (found.column(path * 16 + position), some.column(path * positions.len() + p));
                    difference = difference.max(largest(x, y));
                }
            }
            println!("{name}: order {order}, {count} paths: largest difference {difference:.1e}");
            assert!(difference < 1e-5, "{name}, order {order}: {difference}");
            first += count;
        }
        let difference = largest(found.row(0), &tensor(&format!("{name}.first")));
        assert!(difference < 1e-5, "{name}, first image: {difference}");
    }
}

#[test]
fn agrees_with_kymatio_on_other_sizes() {
    for (height, width, scales, angles) in [(12, 20, 2, 5), (8, 8, 3, 8)] {
        let scattering = Scattering::new(grey(height, width), scales, angles).unwrap();
        let image = tensor(&format!("{width}x{height}.image")) / 255.0;
        let found = scattering.coefficients(image.view(), Cores::One);
        let difference = largest(&found, &tensor(&format!("{width}x{height}.all")));
        assert!(difference < 1e-5, "{width}x{height}: {difference}");
    }
}

#[test]
fn channels_are_transformed_apart_and_each_path_is_divided_by_its_largest() {
    let grey_scattering = Scattering::new(grey(8, 8), 2, 4).unwrap();
    let colour = Scattering::new(ImageShape { channels: 3, ..grey(8, 8) }, 2, 4).unwrap();
    let images = Array2::from_shape_fn((2, 64 * 3), |(r, i)| {
        ((i * 37 + r * 11) % 101) as f32 * if i % 3 == 2 { 0.0 } else { 1.0 }
    });
    let found = colour.apply(images.view(), Cores::One);
    for channel in 0..3 {
        let one = images.slice(s![.., channel..;3]);
        let width = grey_scattering.n_features();
        assert_eq!(found.slice(s![.., channel * width..(channel + 1) * width]), grey_scattering.apply(one, Cores::One));
    }
    for path in found.rows().into_iter().flat_map(|row| row.to_vec().chunks(4).map(<[f32]>::to_vec).collect::<Vec<_>>())
    {
        let most = path.iter().fold(0.0_f32, |a, v| a.max(v.abs()));
        assert!(most == 1.0 || path.iter().all(|&v| v == 0.0), "{path:?}");
    }
}

#[test]
fn sizes_it_cannot_take_are_named_with_a_remedy() {
    let message = Scattering::fitting(grey(28, 7), 3, 8).unwrap_err().to_string();
    assert!(
        message.contains("7x28") && message.contains("at least 8x8") && message.contains("resize=WxH"),
        "{message}"
    );
    assert_eq!(Scattering::fitting(grey(28, 30), 3, 8).unwrap(), grey(32, 32));
    let message = Scattering::new(grey(28, 28), 3, 8).unwrap_err().to_string();
    assert!(message.contains("multiples of 8"), "{message}");
    assert!(Scattering::new(grey(8, 8), 0, 8).unwrap_err().to_string().contains("J from 1"));
}

#[test]
fn an_image_has_the_same_bits_alone_and_among_others() {
    let shape = ImageShape { height: 16, width: 8, channels: 2 };
    let images = Array2::from_shape_fn((11, shape.len()), |(i, j)| ((i * 31 + j * 17) % 101) as f32 / 101.0);
    let scattering = Scattering::new(shape, 2, 4).unwrap();
    let together = scattering.apply(images.view(), Cores::All);
    assert_eq!(scattering.apply(images.view(), Cores::One), together);
    for i in 0..11 {
        assert_eq!(scattering.apply(images.slice(s![i..=i, ..]), Cores::One).row(0), together.row(i), "image {i}");
    }
}
