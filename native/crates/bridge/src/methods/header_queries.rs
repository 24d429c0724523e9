//! Queries about the Bitcoin headers.

use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::{B256, Bytes, hex};

use super::arguments::Arguments;
use crate::method::Method;
use crate::outcome::{Outcome, throw};
use crate::storage::Frame;
use rhizome_bitcoin::stored_header::StoredHeader;

/// Maximum number of hashes of a block locator, without the last one.
const LOCATOR_HASHES: usize = 100;

pub(super) fn run(
    method: Method,
    _: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    arguments: Arguments<'_>,
) -> Option<Outcome> {
    Some(match method {
        Method::GetBtcBlockchainBestChainHeight => best_height(frame),
        Method::GetBtcBlockchainInitialBlockHeight => initial_height(frame),
        Method::GetBtcBlockchainBlockLocator => locator(frame),
        Method::GetBtcBlockchainBlockHashAtDepth => hash_at_depth(frame, arguments.low_int(0)),
        Method::GetBtcBlockchainBestBlockHeader => or_empty(frame.open_headers().map(Some)),
        Method::GetBtcBlockchainBlockHeaderByHash => or_empty(by_hash(frame, arguments.hash(0))),
        Method::GetBtcBlockchainBlockHeaderByHeight => or_empty(frame.header_at_height(arguments.low_int(0))),
        Method::GetBtcBlockchainParentBlockHeaderByHash => or_empty(parent_by_hash(frame, arguments.hash(0))),
        Method::HasBtcBlockCoinbaseTransactionInformation => has_coinbase(frame, arguments.hash(0)),
        _ => return None,
    })
}

fn best_height(frame: &mut Frame<'_>) -> Outcome {
    Ok(Some(AbiValue::int(i64::from(frame.open_headers()?.height))))
}

fn initial_height(frame: &mut Frame<'_>) -> Outcome {
    Ok(Some(AbiValue::int(i64::from(frame.lowest_header()?.height))))
}

fn hash_at_depth(frame: &mut Frame<'_>, depth: i32) -> Outcome {
    let head = frame.open_headers()?;
    let most = head.height.wrapping_sub(frame.lowest_header()?.height);
    if depth < 0 || depth > most {
        return throw(format!("the depth must be between 0 and {most}"));
    }
    match frame.header_at_depth(depth)? {
        Some(header) => Ok(Some(AbiValue::Bytes(Bytes::copy_from_slice(header.hash().as_slice())))),
        None => throw("the Bitcoin header is not stored"),
    }
}

fn by_hash(frame: &mut Frame<'_>, hash: B256) -> Result<Option<StoredHeader>, ContractError> {
    frame.open_headers()?;
    frame.header(hash)
}

fn parent_by_hash(frame: &mut Frame<'_>, hash: B256) -> Result<Option<StoredHeader>, ContractError> {
    match by_hash(frame, hash)? {
        Some(header) => frame.header(header.parent()),
        None => Ok(None),
    }
}

/// These methods return empty bytes for an unknown header and for every exception.
fn or_empty(found: Result<Option<StoredHeader>, ContractError>) -> Outcome {
    let header = match found {
        Ok(header) => header,
        Err(ContractError::Failed(_)) => None,
        Err(error) => return Err(error.into()),
    };
    let bytes = header.map_or_else(Bytes::new, |header| Bytes::copy_from_slice(&header.header));
    Ok(Some(AbiValue::Bytes(bytes)))
}

/// Hashes from the head down to the lowest header, in steps that double.
fn locator(frame: &mut Frame<'_>) -> Outcome {
    let lowest = frame.lowest_header()?;
    let mut cursor = frame.open_headers()?;
    let best = i64::from(cursor.height);
    let mut hashes = vec![cursor.hash()];
    if cursor.height > lowest.height {
        for step in 0.. {
            let height = best - (1i64 << step);
            if hashes.len() > LOCATOR_HASHES || height <= i64::from(lowest.height) {
                hashes.push(lowest.hash());
                break;
            }
            while i64::from(cursor.height) != height {
                match frame.header(cursor.parent())? {
                    Some(parent) => cursor = parent,
                    None => return throw("the Bitcoin chain has a gap"),
                }
            }
            hashes.push(cursor.hash());
        }
    }
    Ok(Some(AbiValue::Array(hashes.into_iter().map(|hash| AbiValue::String(hex::encode(hash))).collect())))
}

fn has_coinbase(frame: &mut Frame<'_>, block: B256) -> Outcome {
    Ok(Some(AbiValue::Bool(frame.witness_root(block)?.is_some())))
}
