//! Columns that come along from Parquet to Parquet as they lie: the bytes of their column chunks are copied, and neither decoded nor
//! encoded again. So they cost what copying a file costs, and come out with the types, encodings and statistics that they had.

use super::readers::parquet_metadata;
use super::source::{Format, Source};
use crate::Result;
use arrow_schema::FieldRef;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::TypePtr;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};

/// Bytes that are copied at a time.
const BLOCK: usize = 1 << 20;

/// The row groups of some files, of which the same columns are kept.
pub(crate) struct KeptChunks {
    /// The columns as Arrow and as Parquet see them.
    pub(crate) fields: Vec<FieldRef>,
    pub(crate) types: Vec<TypePtr>,
    /// What the first file says about itself.
    pub(crate) metadata: HashMap<String, String>,
    files: VecDeque<KeptFile>,
    /// The next row group of the first file.
    group: usize,
    open: Option<File>,
}

struct KeptFile {
    source: Source,
    metadata: ArrowReaderMetadata,
    /// The kept leaves of the file's schema, in the order of the kept columns.
    leaves: Vec<usize>,
}

impl KeptChunks {
    /// The columns that `choose` names by their index, where all files are Parquet and have them alike.
    pub(crate) fn open(
        sources: &[Source],
        choose: impl Fn(&Source, &[FieldRef]) -> Result<Vec<usize>>,
    ) -> Result<Option<Self>> {
        let (mut fields, mut types, mut files) = (Vec::new(), Vec::new(), VecDeque::new());
        let mut about = HashMap::new();
        for source in sources {
            if source.format != Format::Parquet {
                return Ok(None);
            }
            let metadata = parquet_metadata(source)?;
            let chosen = choose(source, metadata.schema().fields())?;
            let schema = metadata.parquet_schema();
            let roots = schema.root_schema().get_fields();
            let found: Vec<TypePtr> = chosen.iter().map(|&index| roots[index].clone()).collect();
            let root_of = |leaf: usize| schema.get_column_root_idx(leaf);
            let leaves_of = |root: usize| (0..schema.num_columns()).filter(move |&leaf| root_of(leaf) == root);
            let leaves: Vec<usize> = chosen.iter().flat_map(|&root| leaves_of(root)).collect();
            if files.is_empty() {
                fields = chosen.iter().map(|&index| metadata.schema().fields()[index].clone()).collect();
                types = found;
                about.clone_from(metadata.schema().metadata());
            } else if types != found {
                return Ok(None);
            }
            let groups = metadata.metadata().row_groups();
            if !groups.iter().all(|group| leaves.iter().all(|&leaf| lies_here(group.column(leaf)))) {
                return Ok(None);
            }
            files.push_back(KeptFile { source: source.clone(), metadata, leaves });
        }
        Ok(Some(Self { fields, types, metadata: about, files, group: 0, open: None }))
    }

    /// Rows of the next row group; `None` at the end.
    pub(crate) fn next_rows(&mut self) -> Option<usize> {
        while let Some(file) = self.files.front() {
            let groups = file.metadata.metadata().row_groups();
            match groups.get(self.group) {
                Some(group) if group.num_rows() > 0 => return Some(group.num_rows() as usize),
                Some(_) => self.group += 1,
                None => {
                    self.files.pop_front();
                    (self.group, self.open) = (0, None);
                }
            }
        }
        None
    }

    /// Copies the columns of the next row group, which [`Self::next_rows`] told of, and goes on to the one behind it.
    pub(crate) fn copy<W: Write + Send>(&mut self, target: &mut SerializedRowGroupWriter<'_, W>) -> ParquetResult<()> {
        let Some(file) = self.files.front() else { return Ok(()) };
        let opened = match self.open.take() {
            Some(opened) => opened,
            None => File::open(&file.source.path)?,
        };
        let group = file.metadata.metadata().row_group(self.group);
        let bytes = Blocks(opened);
        for &leaf in &file.leaves {
            let chunk = group.column(leaf);
            target.append_column(
                &bytes,
                ColumnCloseResult {
                    bytes_written: chunk.compressed_size() as u64,
                    rows_written: group.num_rows() as u64,
                    metadata: chunk.clone(),
                    bloom_filter: None,
                    column_index: None,
                    offset_index: None,
                },
            )?;
        }
        (self.open, self.group) = (Some(bytes.0), self.group + 1);
        Ok(())
    }
}

/// Whether a chunk's bytes are in its own file, as they should be.
fn lies_here(chunk: &ColumnChunkMetaData) -> bool {
    let whole = |number: i64| number >= 0;
    let first = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    chunk.file_path().is_none() && whole(first) && whole(chunk.compressed_size()) && first <= chunk.data_page_offset()
}

/// A file that is read in large blocks.
struct Blocks(File);

impl Length for Blocks {
    fn len(&self) -> u64 {
        self.0.metadata().map_or(0, |metadata| metadata.len())
    }
}

impl ChunkReader for Blocks {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let mut file = self.0.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(BufReader::with_capacity(BLOCK, file))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<bytes::Bytes> {
        let mut buffer = Vec::new();
        self.get_read(start)?.take(length as u64).read_to_end(&mut buffer)?;
        Ok(buffer.into())
    }
}
