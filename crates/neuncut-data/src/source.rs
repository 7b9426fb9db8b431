//! One input file: that it exists, which format its name says, and its (decompressed) bytes.

use super::npz::{self, ArchiveMember};
use super::nulls::OnNull;
use super::readers::has_images;
use super::stream::Stream;
use crate::{Error, Result};
use flate2::read::MultiGzDecoder;
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// What users are told when a name says nothing.
pub(crate) const SUPPORTED: &str = ".npy, .npz, .csv, .tsv, .txt, .jsonl, .parquet, .arrow, .feather, .ipc, .idx (or *-ubyte), .libsvm, .svm, .svmlight, .png, .jpg";

/// A file format, chosen by the end of the file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Npy,
    Csv,
    Tsv,
    Txt,
    Parquet,
    Arrow,
    /// One JSON object per line.
    Json,
    Idx,
    Libsvm,
    /// A folder of PNG and JPEG files, or one of them.
    Images,
}

impl Format {
    /// The format of a name without its `.gz`.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        Some(match ending {
            "npy" => Self::Npy,
            "csv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "txt" => Self::Txt,
            "parquet" | "pq" => Self::Parquet,
            "arrow" | "arrows" | "feather" | "ipc" => Self::Arrow,
            "jsonl" | "ndjson" | "json" => Self::Json,
            "png" | "jpg" | "jpeg" => Self::Images,
            "libsvm" | "svm" | "svmlight" => Self::Libsvm,
            _ if ending.starts_with("idx") || name.ends_with("ubyte") => Self::Idx,
            _ => return None,
        })
    }

    /// Whether a file of this format is a table whose columns can come along beside results.
    pub(crate) fn is_table(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow | Self::Json | Self::Csv | Self::Tsv | Self::Txt)
    }

    /// Whether a compressed file of this format can be read as a stream.
    fn allows_gzip(self) -> bool {
        !matches!(self, Self::Parquet | Self::Arrow | Self::Images)
    }
}

/// A file that exists and has a known format.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    pub(crate) packing: Packing,
    /// The width and height that images get as they are read.
    pub(crate) image_size: Option<(usize, usize)>,
    /// What becomes of missing values.
    pub(crate) on_null: OnNull,
}

/// How the bytes of a file are packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Not at all.
    Plain,
    /// The whole file by gzip.
    Gzip,
    /// As an array of an npz archive.
    Archive(ArchiveMember),
    /// No file: bytes that come once.
    Stream(Stream),
}

impl Source {
    /// Checks that the path is a readable, non-empty file whose format is known.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        if let Some((archive, array)) = npz::array_in(path) {
            check_file(&archive)?;
            let packing = Packing::Archive(npz::find(&archive, array.as_deref())?);
            return Ok(Self { packing, ..Self::plain(path, Format::Npy) });
        }
        check_file(path)?;
        if path.is_dir() {
            return Ok(Self::plain(path, Format::Images));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (stem, gzip) = match name.len().checked_sub(3).and_then(|at| name.split_at_checked(at)) {
            Some((stem, end)) if end.eq_ignore_ascii_case(".gz") => (stem, true),
            _ => (&*name, false),
        };
        let format = Format::of(stem).ok_or_else(|| Error::data(path, unknown_ending(stem)))?;
        if gzip && !format.allows_gzip() {
            let problem =
                "this format is compressed inside, and cannot be read through .gz: decompress the file first (gunzip)";
            return Err(Error::data(path, problem));
        }
        let packing = if gzip { Packing::Gzip } else { Packing::Plain };
        Ok(Self { packing, ..Self::plain(path, format) })
    }

    /// A stream of lines.
    pub(crate) fn of_stream(stream: &Stream) -> Result<Self> {
        let format = Format::of(&format!(".{}", stream.format())).ok_or_else(|| {
            Error::config("format", stream.format(), format!("that of lines of text, one of {SUPPORTED}"))
        })?;
        Ok(Self { packing: Packing::Stream(stream.clone()), ..Self::plain(stream.name(), format) })
    }

    /// Whether rows are wanted as they come, and not only when there are many.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.packing, Packing::Stream(_))
    }

    /// A file of a known format that is not packed.
    pub(crate) fn plain(path: &Path, format: Format) -> Self {
        let (packing, on_null) = (Packing::Plain, OnNull::Refuse);
        Self { path: path.to_owned(), format, packing, image_size: None, on_null }
    }

    /// Opens the file as it lies on disk.
    pub(crate) fn file(&self) -> Result<File> {
        File::open(&self.path).map_err(Error::io("read", &self.path))
    }

    /// Opens the file's bytes, decompressed.
    pub(crate) fn bytes(&self) -> Result<Box<dyn Read + Send>> {
        Ok(match &self.packing {
            Packing::Plain => Box::new(self.file()?),
            Packing::Gzip => Box::new(MultiGzDecoder::new(io::BufReader::with_capacity(1 << 16, self.file()?))),
            Packing::Archive(member) => member.bytes()?,
            Packing::Stream(stream) => Box::new(stream.reader().map_err(Error::io("read", &self.path))?),
        })
    }

    /// The number of (decompressed) bytes, where the file system tells it.
    pub(crate) fn length(&self) -> Option<u64> {
        let metadata = self.path.metadata().ok()?;
        (metadata.is_file() && self.packing == Packing::Plain).then_some(metadata.len())
    }

    /// An error about this file's content.
    pub(crate) fn error(&self, problem: impl Into<String>) -> Error {
        Error::data(&self.path, problem)
    }

    /// An error from reading this file: a stream that ends early or does not decompress is the content's fault.
    pub(crate) fn read_error(&self, error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => self.error("the file is cut short: copy or download it again"),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData if self.packing != Packing::Plain => {
                self.error(format!("the file does not decompress ({error}): copy or download it again"))
            }
            _ => Error::io("read", &self.path)(error),
        }
    }
}

/// What to do about a name that says nothing, where that is known.
fn unknown_ending(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "pt" | "pth" => {
            "tensors of PyTorch cannot be read: numpy.save(\"x.npy\", tensor.numpy()) writes a file that can".into()
        }
        "xlsx" | "xls" | "ods" => "spreadsheets cannot be read: save the sheet as CSV".into(),
        "h5" | "hdf5" | "mat" | "pkl" | "pickle" => {
            format!(".{ending} files cannot be read: write the array with numpy.save, or the table as Parquet")
        }
        "zip" | "bz2" | "xz" | "zst" | "tar" => format!(".{ending} files cannot be read: unpack it first"),
        _ => format!("the file's ending says no known format: rename it to end in one of {SUPPORTED}"),
    }
}

fn check_file(path: &Path) -> Result<()> {
    let metadata = path.metadata().map_err(Error::io("read", path))?;
    if metadata.is_dir() && !has_images(path) {
        let files = path.join("*.parquet");
        let remedy = format!(
            "this is a directory without PNG or JPEG images: give its files with a glob such as '{}'",
            files.display()
        );
        return Err(Error::data(path, remedy));
    }
    if metadata.is_file() && metadata.len() == 0 {
        return Err(Error::data(path, "the file is empty: write at least one row to it"));
    }
    Ok(())
}

/// A value as text for an error message, cut to a readable length.
pub(crate) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{:?}...", &text[..at]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dir;

    fn message(path: &str) -> String {
        Source::new(Path::new(path)).unwrap_err().to_string()
    }

    #[test]
    fn names_say_formats() {
        let formats = [
            ("a.npy", Format::Npy),
            ("a.b.CSV", Format::Csv),
            ("train-images-idx3-ubyte", Format::Idx),
            ("train-images.idx3-ubyte", Format::Idx),
            ("a.feather", Format::Arrow),
            ("a.svmlight", Format::Libsvm),
        ];
        for (name, format) in formats {
            assert_eq!(Format::of(name), Some(format), "{name}");
        }
        assert_eq!(Format::of("npy"), None);
    }

    #[test]
    fn compressed_names_are_recognised() {
        let dir = Dir::new();
        let source = Source::new(Path::new(&dir.file("a.npy.GZ", "x"))).unwrap();
        assert!(source.packing == Packing::Gzip && source.format == Format::Npy);
        assert!(message(&dir.file("a.parquet.gz", "x")).contains("decompress the file first"));
        assert!(message(&dir.file("é.gz", "x")).contains("no known format"));
    }

    #[test]
    fn unusable_paths_are_explained() {
        let dir = Dir::new();
        assert!(message(&dir.path("missing.npy")).contains("missing.npy: No such file"));
        assert!(message(&dir.file("empty.npy", "")).contains("the file is empty"));
        assert!(message(&dir.file("a.dat", "x")).contains("rename it to end in one of .npy, .npz, .csv"));
        assert!(message(&dir.file("a.xlsx", "x")).contains("save the sheet as CSV"));
        assert!(message(&dir.file("a.pt", "x")).contains("numpy.save"));
        assert!(message(&dir.path("")).contains("give its files with a glob"));
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(excerpt("a"), "\"a\"");
        assert_eq!(excerpt(&"é".repeat(50)), format!("\"{}\"...", "é".repeat(40)));
    }
}
