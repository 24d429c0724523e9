//! Constants of the Bridge that differ between networks (bridge.md §6). The tables are defined once, in
//! `src/config/networks/bridge`.

use alloy_primitives::FixedBytes;
use serde::Deserialize;

use crate::{Address, B256, Bytes, U256};

/// A compressed secp256k1 public key.
pub type PublicKey = FixedBytes<33>;

/// Bridge and federation constants of a network.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BridgeSpec {
    /// The Bitcoin network on the other side of the peg.
    pub bitcoin: BitcoinSpec,
    /// Confirmations required on either side.
    pub confirmations: ConfirmationsSpec,
    /// Smallest accepted peg-in output, satoshi.
    pub minimum_pegin: MinimumSpec,
    /// Smallest accepted peg-out, satoshi.
    pub minimum_pegout: MinimumSpec,
    /// Minimum that a peg-out must leave beyond the estimated fee, as a percentage of that fee (RSKIP219).
    pub pegout_fee_gap_percentage: u64,
    /// Index of the best chain by Bitcoin height (RSKIP199).
    pub height_index: HeightIndexSpec,
    /// Pause between two accepted calls of `receiveHeader`, seconds (RSKIP200).
    pub seconds_between_receive_header: u64,
    /// Blocks below the head from which on `receiveHeader` accepts no header (RSKIP200).
    pub max_header_depth: u32,
    /// Maximum number of inputs of a migration (RSKIP294).
    pub max_inputs_per_migration: usize,
    /// Blocks between two batches of peg-outs (RSKIP271).
    pub blocks_between_pegouts: u64,
    /// Index of peg-outs by signature hash (RSKIP379).
    pub pegout_index: PegoutIndexSpec,
    /// Bitcoin height from which `receiveHeaders` stops until RSKIP434; None: never.
    pub too_much_work_height: Option<u32>,
    /// Federation.
    pub federation: FederationSpec,
    /// Senders with special rights.
    pub authorisers: AuthorisersSpec,
    /// Bitcoin fee per 1,000 bytes.
    pub fee_per_kb: FeePerKbSpec,
    /// Locking cap (RSKIP134).
    pub locking_cap: LockingCapSpec,
    /// Union bridge (RSKIP502).
    pub union: UnionSpec,
}

/// Parameters of a Bitcoin network.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BitcoinSpec {
    /// The network.
    pub network: BitcoinNetwork,
    /// Base58Check version of pay-to-public-key-hash addresses.
    pub address_version: u8,
    /// Base58Check version of pay-to-script-hash addresses.
    pub script_address_version: u8,
    /// The easiest target, compact form; on the regression test network that of its blocks, where easier
    /// ones pass (bridge.md §3.2).
    pub max_target_bits: u32,
    /// Blocks between two adjustments of the difficulty.
    pub difficulty_interval: u32,
    /// First header of the chain, 80 bytes.
    pub genesis_header: Bytes,
}

/// Bitcoin networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BitcoinNetwork {
    /// Main network.
    Main,
    /// Testnet3.
    Testnet,
    /// Regression test.
    Regtest,
}

/// Required confirmations.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmationsSpec {
    /// Bitcoin blocks on a peg-in.
    pub pegin: u32,
    /// Rootstock blocks on a peg-out.
    pub pegout: u64,
}

/// A minimum that RSKIP219 changed; satoshi.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MinimumSpec {
    /// Before RSKIP219.
    pub legacy: u64,
    /// From RSKIP219 on.
    pub rskip219: u64,
}

/// Index by Bitcoin height.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeightIndexSpec {
    /// First Bitcoin height that is indexed.
    pub activation: u32,
    /// Blocks below it that a search may go down.
    pub max_depth_below: u32,
}

/// Index by signature hash.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PegoutIndexSpec {
    /// Bitcoin height of the activation.
    pub activation: u32,
    /// Bitcoin blocks after it with the old classification.
    pub grace_period: u32,
}

/// Form of a federation's redeem script (bridge.md §3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FederationFormat {
    /// Plain multi-signature script, version 1000.
    Standard,
    /// Emergency branch, non-standard, version 2000.
    NonStandardErp,
    /// Emergency branch under P2SH, version 3000.
    P2shErp,
    /// Emergency branch under P2SH-P2WSH, version 4000.
    P2shP2wshErp,
}

/// Federation constants.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FederationSpec {
    /// Members of the first federation; each key is Bitcoin, Rootstock and MST key.
    pub genesis_keys: Vec<PublicKey>,
    /// Script form of the first federation.
    pub genesis_format: FederationFormat,
    /// Creation time of the first federation, in the unit the node takes for milliseconds.
    pub genesis_creation_time: u64,
    /// Blocks for the validation of a proposed federation (RSKIP419).
    pub validation_period: u64,
    /// Blocks until a committed federation becomes active.
    pub activation_age: ActivationAgeSpec,
    /// Blocks from activation to begin and end of the migration of funds.
    pub migration: MigrationSpec,
    /// Keys of the emergency branch.
    pub erp_keys: Vec<PublicKey>,
    /// Bitcoin blocks until the emergency branch opens.
    pub erp_delay: u32,
    /// Address of the federation before the first one.
    pub old_address: String,
    /// Redeem script that stands for every emergency federation until RSKIP284; None: no such script.
    pub hardcoded_erp_script: Option<Bytes>,
}

/// Activation age by rule, blocks.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActivationAgeSpec {
    /// Before RSKIP383.
    pub legacy: u64,
    /// From RSKIP383 to RSKIP419.
    pub rskip383: u64,
    /// From RSKIP419 on.
    pub rskip419: u64,
}

/// Migration of funds, blocks since activation.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MigrationSpec {
    /// Begin.
    pub begin: u64,
    /// End.
    pub end: u64,
    /// End between RSKIP357 and RSKIP374.
    pub end_rskip357: u64,
}

/// Rootstock addresses with special rights; an empty list or the zero address gives the right to nobody.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthorisersSpec {
    /// Change of federation, by majority.
    pub federation_change: Vec<Address>,
    /// Change of the fee per kb, by majority.
    pub fee_per_kb: Vec<Address>,
    /// Locking cap, any of them.
    pub locking_cap: Vec<Address>,
    /// Whitelist, any of them.
    pub whitelist: Vec<Address>,
    /// Address of the union contract.
    pub union_address: Address,
    /// Union locking cap.
    pub union_locking_cap: Address,
    /// Union transfer permissions.
    pub union_permissions: Address,
}

/// Fee per kb, satoshi.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FeePerKbSpec {
    /// Until it is voted on.
    pub genesis: u64,
    /// Largest that can be voted for.
    pub maximum: u64,
}

/// Locking cap.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockingCapSpec {
    /// First value, satoshi.
    pub initial: u64,
    /// Largest factor of one increase.
    pub multiplier: u64,
}

/// Union bridge.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnionSpec {
    /// The union contract until another is set.
    pub address: Address,
    /// First locking cap, wei.
    pub initial_locking_cap: U256,
    /// Largest factor of one increase.
    pub multiplier: u64,
}

/// Prefix of the fly-over address that tests a proposed federation (RSKIP419); all networks.
pub const PROPOSED_FEDERATION_FLYOVER_PREFIX: B256 = B256::with_last_byte(1);
