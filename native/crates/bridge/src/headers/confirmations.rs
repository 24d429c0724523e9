//! `getBtcTransactionConfirmations` (RSKIP122): price and result.

use rhizome_primitives::abi::{self, AbiType, AbiValue, low_i32};
use rhizome_primitives::bridge_spec::BitcoinNetwork;
use rhizome_primitives::contract::{ContractContext, ContractError, ContractState};
use rhizome_primitives::{B256, U256, b256, hex};

use crate::outcome::{Outcome, Stop, throw};
use crate::storage::Frame;
use rhizome_bitcoin::merkle_branch::MerkleBranch;
use rhizome_bitcoin::stored_header::StoredHeader;

const BASE_GAS: u64 = 27_000;
const GAS_PER_BLOCK: u64 = 315;
const GAS_PER_HASH: u64 = 144;
/// Maximum depth of the block.
const MAX_DEPTH: i32 = 4_320;

const UNKNOWN_BLOCK: i64 = -1;
const NOT_IN_BEST_CHAIN: i64 = -2;
const INCONSISTENT: i64 = -3;
const TOO_OLD: i64 = -4;
const WRONG_BRANCH: i64 = -5;

/// A block of the Bitcoin test network that the reference once returned from a cache although it was not stored. One
/// Rootstock block depends on it (bridge.md §3.1).
const CACHED_AT: u64 = 5_148_285;
const CACHED_HASH: B256 = b256!("00000000e8e7b540df01a7067e020fd7e2026bf86289def2283a35120c1af379");
const CACHED_HEIGHT: i32 = 2_817_125;
const CACHED_WORK: U256 = U256::from_limbs([0xb5fb_cd96_9312_a77c, 0xdde, 0, 0]);
const CACHED_HEADER: [u8; 80] = hex!(
    "000000203b5d178405c4e6e7dc07d63d6de5db1342044791721654760c00000000000000796cf6743a036300b43fb3abe6703d04a7999751b6d5744f20327d1175320bd37b954e66ffff001d56dc11ce"
);

struct Question {
    transaction: B256,
    block: B256,
    path: i32,
    hashes: Vec<B256>,
}

impl Question {
    fn of(arguments: &[AbiValue]) -> Option<Self> {
        let [AbiValue::Bytes32(transaction), AbiValue::Bytes32(block), AbiValue::Int(path), AbiValue::Array(hashes)] =
            arguments
        else {
            return None;
        };
        let hashes = hashes.iter().map(|hash| match hash {
            AbiValue::Bytes32(hash) => Some(*hash),
            _ => None,
        });
        Some(Self {
            transaction: *transaction,
            block: *block,
            path: low_i32(*path),
            hashes: hashes.collect::<Option<_>>()?,
        })
    }
}

fn find(frame: &mut Frame<'_>, block: B256) -> Result<Option<StoredHeader>, ContractError> {
    let cached = frame.block_number == CACHED_AT
        && frame.bridge().bitcoin.network == BitcoinNetwork::Testnet
        && block == CACHED_HASH;
    if cached {
        return Ok(Some(StoredHeader { chain_work: CACHED_WORK, height: CACHED_HEIGHT, header: CACHED_HEADER }));
    }
    frame.header(block)
}

fn depth(head: &StoredHeader, block: &StoredHeader) -> i32 {
    head.height.wrapping_sub(block.height).max(0)
}

/// Price without the data, for arguments that decode. The reference opens the header store to compute it; this function
/// only reads as if the store were open, and `run` opens it (see [`crate::refuse`] for a call that cannot pay).
pub(crate) fn gas(
    context: &ContractContext,
    state: &mut dyn ContractState,
    inputs: &[AbiType],
    payload: &[u8],
) -> Result<u64, ContractError> {
    // The second word is the hash of the block; only the length of the branch matters.
    let (Some(block), Some(hashes)) = (payload.get(32..64), abi::count(inputs, 3, payload)) else {
        return Ok(BASE_GAS);
    };
    let mut frame = Frame::read_only(context.spec, context.rules, context.block.number, state);
    let head = frame.open_headers()?;
    Ok(match find(&mut frame, B256::from_slice(block))?.map(|block| depth(&head, &block)) {
        Some(depth) if depth <= MAX_DEPTH => BASE_GAS + depth as u64 * GAS_PER_BLOCK + hashes as u64 * GAS_PER_HASH,
        _ => BASE_GAS,
    })
}

/// Confirmations of a transaction in a block of the best chain, or a negative code.
pub(crate) fn run(frame: &mut Frame<'_>, arguments: &[AbiValue]) -> Outcome {
    let Some(question) = Question::of(arguments) else { return throw("the arguments do not fit") };
    let Some(branch) = MerkleBranch::new(question.hashes, question.path) else {
        return throw("the merkle branch is malformed");
    };
    let head = frame.open_headers()?;
    let code = |code: i64| Ok(Some(AbiValue::int(code)));
    let Some(block) = find(frame, question.block)? else { return code(UNKNOWN_BLOCK) };
    if depth(&head, &block) > MAX_DEPTH {
        return code(TOO_OLD);
    }
    match frame.header_at_height(block.height) {
        Ok(found) if found.as_ref() == Some(&block) => {}
        Ok(_) => return code(NOT_IN_BEST_CHAIN),
        Err(ContractError::Failed(_)) => return code(INCONSISTENT),
        Err(error) => return Err(Stop::Error(error)),
    }
    let Ok(root) = branch.root(question.transaction) else {
        return throw("nodes of the merkle branch form a transaction");
    };
    if !frame.is_root_of(root, &block)? {
        return code(WRONG_BRANCH);
    }
    code(i64::from(head.height.wrapping_sub(block.height).wrapping_add(1)))
}
