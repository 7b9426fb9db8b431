//! The small version of everything: few rows, narrow networks, few steps. It shows that an experiment runs, not what it finds.

use neuncut::data::{AtomicFile, Table};
use neuncut::features::Chain;
use neuncut::{Error, Result};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Rows of a data set, of a shape and of a stream.
const ROWS: usize = 400;
pub const SHAPE_ROWS: u64 = 2000;
pub const STREAM_ROWS: u64 = 1200;

/// Settings over those of a run.
const SETTINGS: &str = "hidden = [32]\nepochs = 2\nlandmarks = 200\nrestarts = 2\nsenet-layers = [16, 8]\nsenet-steps = 10\npretrain-epochs = 2\n";
/// The most that some settings may be.
const AT_MOST: [(&str, i64); 3] = [("train-rows", 300), ("batch", 100), ("neighbors", 30)];
/// The paper's features, and those in their place: two angles in place of eight give 304 columns in place of 3,472.
const FEATURES: (&str, &str) = ("scattering=3,8,pca=500", "scattering=3,2,pca=20");

/// Makes the settings of a run small.
pub fn shrink(settings: &mut toml::Table) {
    settings.extend(toml::from_str::<toml::Table>(SETTINGS).expect("the settings above are TOML"));
    for (name, most) in AT_MOST {
        match settings.get_mut(name) {
            Some(toml::Value::Integer(value)) => *value = (*value).min(most),
            Some(_) if name == "neighbors" => {}
            _ => drop(settings.insert(name.into(), most.into())),
        }
    }
    if let Some(toml::Value::String(chain)) = settings.get_mut("features") {
        // written out in full, as a configuration has it
        let written = chain.parse::<Chain>().map_or_else(|_| chain.clone(), |parsed| parsed.to_string());
        *chain = written.replace(FEATURES.0, FEATURES.1);
    }
}

/// So many of a stream's rows in place of a subset of it.
pub fn subset_rows(rows: u64) -> u64 {
    rows.min(ROWS as u64)
}

/// Writes evenly spaced rows as an idx file of the same shape; gives their places.
pub fn subset(table: &mut Table, path: &Path) -> Result<(PathBuf, Vec<usize>)> {
    let width = table.width();
    let mut values = Vec::new();
    while table.read(1 << 14, &mut values)? > 0 {
        crate::interrupt::check()?;
    }
    let total = values.len() / width.max(1);
    let count = total.min(ROWS);
    let kept: Vec<usize> = (0..count).map(|i| i * total / count).collect();
    let mut axes = vec![count];
    match table.image_shape() {
        Some(shape) if shape.channels == 1 => axes.extend([shape.height, shape.width]),
        Some(shape) => axes.extend([shape.height, shape.width, shape.channels]),
        None => axes.push(width),
    }
    // numbers of four bytes, then the axes: https://yann.lecun.com/exdb/mnist
    let mut bytes = vec![0, 0, 0x0d, axes.len() as u8];
    bytes.extend(axes.iter().flat_map(|size| (*size as u32).to_be_bytes()));
    for row in &kept {
        bytes.extend(values[row * width..(row + 1) * width].iter().flat_map(|value| value.to_be_bytes()));
    }
    let mut file = AtomicFile::create(path)?;
    file.write_all(&bytes).and_then(|()| file.flush()).map_err(Error::io("write", path))?;
    file.commit()?;
    Ok((path.to_owned(), kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use neuncut::methods::{Config, Neighborhood};

    #[test]
    fn small_settings_are_settings() {
        let given = "clusters = 3\nneighbors = 1000\nfeatures = 'scattering,pca=500'\ntrain-rows = 'auto'";
        let given: Config = toml::from_str(given).unwrap();
        let mut settings = toml::Table::try_from(&given).unwrap(); // as a run has them
        shrink(&mut settings);
        settings.retain(|name, _| Config::default().settings().contains_key(name));
        let config: Config = settings.try_into().unwrap();
        let options = config.method.neural_cut().unwrap();
        assert_eq!((options.affinity.neighbors, options.network.rows_per_batch()), (Neighborhood::Count(30), 100));
        assert_eq!(config.train_rows(), 300);
        assert_eq!(config.features.to_string(), "scattering=3,2,pca=20");
        config.check().unwrap();
    }
}
