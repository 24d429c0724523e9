//! BlockHeader, `0x…01000010` (RSKIP119, RSKIP536): fields of the ancestors of the executing block.

use rhizome_primitives::abi::{AbiType, AbiValue, exact_i64};
use rhizome_primitives::block::AncestorBlock;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rlp::signed_bytes;
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::{Bytes, U256};

use crate::native::{Method, failed, named, no_method, output, parse};

/// Ancestors of this depth and beyond cannot be read; the depth of the parent is 0.
const MAX_DEPTH: i16 = 4000;

const METHOD_GAS: u64 = 4000;
const GAS_PER_BYTE: u64 = 2;

const RSK_TAG: &[u8] = b"RSKBLOCK:";
const TAG_HASH_BYTES: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Coinbase,
    Hash,
    MergedMiningTags,
    MinimumGasPrice,
    GasLimit,
    GasUsed,
    Difficulty,
    BitcoinHeader,
    UncleCoinbase,
    DifficultyWithUncles,
    CumulativeWork,
}

const fn method(selector: u32, signature: &'static str, id: Field) -> Method<Field> {
    let arguments: &[AbiType] = match id {
        Field::UncleCoinbase => &[AbiType::Int, AbiType::Int],
        _ => &[AbiType::Int],
    };
    Method { selector: selector.to_be_bytes(), signature, arguments, id }
}

const METHODS: &[Method<Field>] = &[
    method(0x243e7d36, "getCoinbaseAddress(int256)", Field::Coinbase),
    method(0x2cce81aa, "getBlockHash(int256)", Field::Hash),
    method(0x5ca053dd, "getMergedMiningTags(int256)", Field::MergedMiningTags),
    method(0x1f1db3ba, "getMinGasPrice(int256)", Field::MinimumGasPrice),
    method(0x08a06364, "getGasLimit(int256)", Field::GasLimit),
    method(0x06ac702b, "getGasUsed(int256)", Field::GasUsed),
    method(0x9319a35b, "getDifficulty(int256)", Field::Difficulty),
    method(0x3073c6eb, "getBitcoinHeader(int256)", Field::BitcoinHeader),
    method(0xabcd8984, "getUncleCoinbaseAddress(int256,int256)", Field::UncleCoinbase),
    method(0x579ee593, "getDifficultyWithUncles(int256)", Field::DifficultyWithUncles),
    method(0x096c8196, "getCumulativeWork(int256)", Field::CumulativeWork),
];

fn enabled(rules: RuleSet) -> impl Fn(Field) -> bool {
    move |field| match field {
        Field::DifficultyWithUncles | Field::CumulativeWork => rules.active(Rule::Rskip536),
        _ => true,
    }
}

/// 4000 plus 2 per byte of call data; 0 when the data name no method.
pub(crate) fn gas(rules: RuleSet, data: Option<&[u8]>) -> u64 {
    match (named(METHODS, enabled(rules), data), data) {
        (Some(_), Some(data)) => METHOD_GAS + GAS_PER_BYTE * data.len() as u64,
        _ => 0,
    }
}

/// The field as ABI `bytes`: empty when the depth does not fit 16 bits or there is no such block. None when the block
/// does not have the field; fails for a negative depth or uncle index.
pub(crate) fn run(context: &ContractContext, data: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    let (field, arguments) = parse(METHODS, enabled(context.rules), data).ok_or_else(no_method)?;
    let empty = Ok(output(AbiValue::Bytes(Bytes::new())));
    let Some(depth) = index(arguments.first()) else { return empty };
    if depth < 0 {
        return Err(failed("negative block depth"));
    }
    if depth >= MAX_DEPTH {
        return empty;
    }
    let Some(block) = context.ancestry.ancestor(depth as u64) else {
        return context.ancestry.failure().map_or(empty, |error| Err(error.into()));
    };
    let result = if field == Field::UncleCoinbase { uncle_coinbase(&block, &arguments)? } else { read(field, &block)? };
    Ok(result.and_then(|bytes| output(AbiValue::Bytes(bytes))))
}

/// A signed 16-bit number, or None.
fn index(argument: Option<&AbiValue>) -> Option<i16> {
    let Some(AbiValue::Int(number)) = argument else { return None };
    exact_i64(*number).and_then(|number| i16::try_from(number).ok())
}

fn read(field: Field, block: &AncestorBlock) -> Result<Option<Bytes>, ContractError> {
    let number = |value: U256| Some(signed_bytes(value).into());
    Ok(match field {
        Field::Coinbase => Some(Bytes::copy_from_slice(block.coinbase.as_bytes())),
        Field::Hash => Some(Bytes::copy_from_slice(block.hash.as_slice())),
        Field::MergedMiningTags => Some(merged_mining_tags(block)?),
        Field::MinimumGasPrice => number(block.minimum_gas_price),
        Field::GasLimit => Some(block.gas_limit.clone()).filter(|bytes| !bytes.is_empty()),
        Field::GasUsed => number(U256::from(block.gas_used)),
        Field::Difficulty => number(block.difficulty),
        Field::BitcoinHeader => block.bitcoin_header.clone(),
        Field::DifficultyWithUncles => {
            number(block.uncles.iter().fold(block.difficulty, |total, uncle| total.wrapping_add(uncle.difficulty)))
        }
        Field::CumulativeWork => number(block.total_difficulty),
        Field::UncleCoinbase => None,
    })
}

fn uncle_coinbase(block: &AncestorBlock, arguments: &[AbiValue]) -> Result<Option<Bytes>, ContractError> {
    let Some(position) = index(arguments.get(1)) else { return Ok(Some(Bytes::new())) };
    let position = usize::try_from(position).map_err(|_| failed("negative uncle index"))?;
    let coinbase = block.uncles.get(position).map(|uncle| Bytes::copy_from_slice(uncle.coinbase.as_bytes()));
    Ok(Some(coinbase.unwrap_or_default()))
}

/// The bytes after the last tag and its hash in the stored coinbase transaction; empty without a tag.
fn merged_mining_tags(block: &AncestorBlock) -> Result<Bytes, ContractError> {
    let coinbase = block.bitcoin_coinbase.as_ref().ok_or_else(|| failed("the block has no merged-mining coinbase"))?;
    let Some(tag) = coinbase.windows(RSK_TAG.len()).rposition(|window| window == RSK_TAG) else {
        return Ok(Bytes::new());
    };
    let start = tag + RSK_TAG.len() + TAG_HASH_BYTES;
    if start > coinbase.len() {
        return Err(failed("the merged-mining coinbase ends inside the tag"));
    }
    Ok(coinbase.slice(start..))
}

#[cfg(test)]
#[test]
fn selectors_are_those_of_the_signatures() {
    crate::native::assert_selectors(METHODS);
}
