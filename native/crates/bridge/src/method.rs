//! The methods of the Bridge: one table (bridge.md §1.4).

use std::collections::HashMap;
use std::sync::LazyLock;

use rhizome_primitives::abi::{AbiType, selector};
use rhizome_primitives::contract::CallType;
use rhizome_primitives::rules::{Rule, RuleSet};

/// Price of a method without its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// A constant.
    Fixed(u64),
    /// Depends on the number of headers (RSKIP124, RSKIP132).
    ReceiveHeaders,
    /// Depends on the depth of the Bitcoin block and the length of the branch (RSKIP122).
    Confirmations,
}

/// The rules under which a method exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enabled {
    /// Always.
    Always,
    /// From the rule on.
    From(Rule),
    /// Until the rule.
    Until(Rule),
}

/// The callers that may use a method from RSKIP88 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locality {
    /// Transactions, contracts and local calls.
    Open,
    /// Local calls only.
    LocalOnly,
    /// Local calls only until the rule.
    LocalOnlyUntil(Rule),
}

/// The properties of a method.
#[derive(Debug)]
pub struct Definition {
    /// The method.
    pub method: Method,
    /// Name as in its signature.
    pub name: &'static str,
    /// Types of the arguments.
    pub inputs: &'static [AbiType],
    /// Their names in the signature.
    pub input_names: &'static [&'static str],
    /// Type of the result, None for void.
    pub output: Option<AbiType>,
    /// Gas.
    pub cost: Cost,
    /// Rules under which it exists.
    pub enabled: Enabled,
    /// True when only local calls may use it.
    pub locality: Locality,
    /// True when STATICCALL may use it (RSKIP417).
    pub allows_static_call: bool,
}

impl Definition {
    /// Signature such as `addSignature(bytes,bytes[],bytes)`.
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, self.input_names.join(","))
    }

    /// True when the method exists under these rules.
    pub fn is_enabled(&self, rules: RuleSet) -> bool {
        match self.enabled {
            Enabled::Always => true,
            Enabled::From(rule) => rules.active(rule),
            Enabled::Until(rule) => !rules.active(rule),
        }
    }

    /// True when only local calls may use the method (checked from RSKIP88 on).
    pub fn is_local_only(&self, rules: RuleSet) -> bool {
        match self.locality {
            Locality::Open => false,
            Locality::LocalOnly => true,
            Locality::LocalOnlyUntil(rule) => !rules.active(rule),
        }
    }

    /// True when the method may be called this way (checked from RSKIP417 on).
    pub fn accepts(&self, call_type: CallType) -> bool {
        match call_type {
            CallType::Call => true,
            CallType::StaticCall => self.allows_static_call,
            CallType::CallCode | CallType::DelegateCall => false,
        }
    }
}

/// The method with this selector, whatever the rules.
pub fn by_selector(bytes: [u8; 4]) -> Option<&'static Definition> {
    static BY_SELECTOR: LazyLock<HashMap<[u8; 4], &'static Definition>> =
        LazyLock::new(|| DEFINITIONS.iter().map(|entry| (selector(&entry.signature()), entry)).collect());
    BY_SELECTOR.get(&bytes).copied()
}

/// The definition of a method.
pub fn definition(method: Method) -> &'static Definition {
    &DEFINITIONS[method as usize]
}

macro_rules! abi {
    (int) => {
        AbiType::Int
    };
    (uint) => {
        AbiType::Int
    };
    (int64) => {
        AbiType::Int
    };
    (address) => {
        AbiType::Address
    };
    (bool) => {
        AbiType::Bool
    };
    (bytes32) => {
        AbiType::Bytes32
    };
    (bytes) => {
        AbiType::Bytes
    };
    (string) => {
        AbiType::String
    };
    (bytes_list) => {
        AbiType::Array(&AbiType::Bytes)
    };
    (bytes32_list) => {
        AbiType::Array(&AbiType::Bytes32)
    };
    (string_list) => {
        AbiType::Array(&AbiType::String)
    };
}

macro_rules! type_name {
    (int) => {
        "int256"
    };
    (uint) => {
        "uint256"
    };
    (bytes_list) => {
        "bytes[]"
    };
    (bytes32_list) => {
        "bytes32[]"
    };
    ($plain:ident) => {
        stringify!($plain)
    };
}

macro_rules! cost {
    (receive_headers) => {
        Cost::ReceiveHeaders
    };
    (confirmations) => {
        Cost::Confirmations
    };
    ($gas:literal) => {
        Cost::Fixed($gas)
    };
}

macro_rules! locality {
    (open) => {
        Locality::Open
    };
    (local) => {
        Locality::LocalOnly
    };
    (local_until_220) => {
        Locality::LocalOnlyUntil(Rule::Rskip220)
    };
}

/// `Variant name(types) -> result; gas, existence, locality, call or read;` where `read` also accepts
/// STATICCALL.
macro_rules! methods {
    ($($variant:ident $name:ident($($input:ident)*) $(-> $output:ident)?;
        $gas:tt, $enabled:ident $(($rule:ident))?, $locality:ident, $kind:ident;)+) => {
        /// A method of the Bridge, named as in its signature.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each name is the name of the method")]
        pub enum Method { $($variant),+ }

        /// Every method, in the order of [`Method`].
        pub const DEFINITIONS: &[Definition] = &[$(Definition {
            method: Method::$variant,
            name: stringify!($name),
            inputs: &[$(abi!($input)),*],
            input_names: &[$(type_name!($input)),*],
            output: { let output: Option<AbiType> = None; $(let _ = output; let output = Some(abi!($output));)? output },
            cost: cost!($gas),
            enabled: Enabled::$enabled $((Rule::$rule))?,
            locality: locality!($locality),
            allows_static_call: static_call!($kind),
        }),+];
    };
}

macro_rules! static_call {
    (call) => {
        false
    };
    (read) => {
        true
    };
}

methods! {
    // Header chain
    ReceiveHeaders receiveHeaders(bytes_list); receive_headers, Always, open, call;
    ReceiveHeader receiveHeader(bytes) -> int; 10_600, From(Rskip200), open, call;
    GetBtcBlockchainBestChainHeight getBtcBlockchainBestChainHeight() -> int; 19_000, Always, local_until_220, read;
    GetBtcBlockchainInitialBlockHeight getBtcBlockchainInitialBlockHeight() -> int; 20_000, From(Rskip89), local, read;
    GetBtcBlockchainBlockLocator getBtcBlockchainBlockLocator() -> string_list; 76_000, Until(Rskip89), local, read;
    GetBtcBlockchainBlockHashAtDepth getBtcBlockchainBlockHashAtDepth(int) -> bytes; 20_000, From(Rskip89), local, read;
    GetBtcBlockchainBestBlockHeader getBtcBlockchainBestBlockHeader() -> bytes; 3_800, From(Rskip220), open, read;
    GetBtcBlockchainBlockHeaderByHash getBtcBlockchainBlockHeaderByHash(bytes32) -> bytes; 4_600, From(Rskip220), open, read;
    GetBtcBlockchainBlockHeaderByHeight getBtcBlockchainBlockHeaderByHeight(uint) -> bytes; 5_000, From(Rskip220), open, read;
    GetBtcBlockchainParentBlockHeaderByHash getBtcBlockchainParentBlockHeaderByHash(bytes32) -> bytes; 4_900, From(Rskip220), open, read;
    GetBtcTransactionConfirmations getBtcTransactionConfirmations(bytes32 bytes32 uint bytes32_list) -> int; confirmations, From(Rskip122), open, read;
    RegisterBtcCoinbaseTransaction registerBtcCoinbaseTransaction(bytes bytes32 bytes bytes32 bytes32); 10_000, From(Rskip143), open, call;
    HasBtcBlockCoinbaseTransactionInformation hasBtcBlockCoinbaseTransactionInformation(bytes32) -> bool; 5_000, From(Rskip143), open, read;
    // Peg-in
    RegisterBtcTransaction registerBtcTransaction(bytes int bytes); 22_000, Always, open, call;
    RegisterFastBridgeBtcTransaction registerFastBridgeBtcTransaction(bytes uint bytes bytes32 bytes address bytes bool) -> int; 25_000, From(Rskip176), open, call;
    IsBtcTxHashAlreadyProcessed isBtcTxHashAlreadyProcessed(string) -> bool; 23_000, Always, local, read;
    GetBtcTxHashProcessedHeight getBtcTxHashProcessedHeight(string) -> int64; 22_000, Always, local, read;
    GetMinimumLockTxValue getMinimumLockTxValue() -> int; 2_000, Always, local, read;
    // Peg-out
    ReleaseBtc releaseBtc(); 23_000, Always, open, call;
    UpdateCollections updateCollections(); 48_000, Always, open, call;
    AddSignature addSignature(bytes bytes_list bytes); 70_000, Always, open, call;
    GetStateForBtcReleaseClient getStateForBtcReleaseClient() -> bytes; 4_000, Always, local, read;
    GetStateForDebugging getStateForDebugging() -> bytes; 3_000_000, Always, local, read;
    GetNextPegoutCreationBlockNumber getNextPegoutCreationBlockNumber() -> uint; 3_000, From(Rskip271), open, read;
    GetQueuedPegoutsCount getQueuedPegoutsCount() -> uint; 3_000, From(Rskip271), open, read;
    GetEstimatedFeesForNextPegOutEvent getEstimatedFeesForNextPegOutEvent() -> uint; 10_000, From(Rskip271), open, read;
    GetEstimatedFeesForPegOutAmount getEstimatedFeesForPegOutAmount(uint) -> uint; 10_000, From(Rskip540), open, read;
    // Federation: queries
    GetFederationAddress getFederationAddress() -> string; 11_000, Always, local, read;
    GetFederationSize getFederationSize() -> int; 10_000, Always, local, read;
    GetFederationThreshold getFederationThreshold() -> int; 11_000, Always, local, read;
    GetFederatorPublicKey getFederatorPublicKey(int) -> bytes; 10_000, Until(Rskip123), local, read;
    GetFederatorPublicKeyOfType getFederatorPublicKeyOfType(int string) -> bytes; 10_000, From(Rskip123), local, read;
    GetFederationCreationTime getFederationCreationTime() -> int; 10_000, Always, local, read;
    GetFederationCreationBlockNumber getFederationCreationBlockNumber() -> int; 10_000, Always, local, read;
    GetActiveFederationCreationBlockHeight getActiveFederationCreationBlockHeight() -> uint; 3_000, From(Rskip186), open, read;
    GetActivePowpegRedeemScript getActivePowpegRedeemScript() -> bytes; 30_000, From(Rskip293), open, read;
    GetRetiringFederationAddress getRetiringFederationAddress() -> string; 3_000, Always, local, read;
    GetRetiringFederationSize getRetiringFederationSize() -> int; 3_000, Always, local, read;
    GetRetiringFederationThreshold getRetiringFederationThreshold() -> int; 3_000, Always, local, read;
    GetRetiringFederatorPublicKey getRetiringFederatorPublicKey(int) -> bytes; 3_000, Until(Rskip123), local, read;
    GetRetiringFederatorPublicKeyOfType getRetiringFederatorPublicKeyOfType(int string) -> bytes; 3_000, From(Rskip123), local, read;
    GetRetiringFederationCreationTime getRetiringFederationCreationTime() -> int; 3_000, Always, local, read;
    GetRetiringFederationCreationBlockNumber getRetiringFederationCreationBlockNumber() -> int; 3_000, Always, local, read;
    GetPendingFederationHash getPendingFederationHash() -> bytes; 3_000, Always, local, read;
    GetPendingFederationSize getPendingFederationSize() -> int; 3_000, Always, local, read;
    GetPendingFederatorPublicKey getPendingFederatorPublicKey(int) -> bytes; 3_000, Until(Rskip123), local, read;
    GetPendingFederatorPublicKeyOfType getPendingFederatorPublicKeyOfType(int string) -> bytes; 3_000, From(Rskip123), local, read;
    GetProposedFederationAddress getProposedFederationAddress() -> string; 3_000, From(Rskip419), local, read;
    GetProposedFederationSize getProposedFederationSize() -> int; 3_000, From(Rskip419), local, read;
    GetProposedFederationCreationTime getProposedFederationCreationTime() -> int; 3_000, From(Rskip419), local, read;
    GetProposedFederationCreationBlockNumber getProposedFederationCreationBlockNumber() -> int; 3_000, From(Rskip419), local, read;
    GetProposedFederatorPublicKeyOfType getProposedFederatorPublicKeyOfType(int string) -> bytes; 3_000, From(Rskip419), local, read;
    GetStateForSvpClient getStateForSvpClient() -> bytes; 4_000, From(Rskip419), local, read;
    // Federation: votes
    CreateFederation createFederation() -> int; 11_000, Always, open, call;
    AddFederatorPublicKey addFederatorPublicKey(bytes) -> int; 13_000, Until(Rskip123), open, call;
    AddFederatorPublicKeyMultikey addFederatorPublicKeyMultikey(bytes bytes bytes) -> int; 13_000, From(Rskip123), open, call;
    CommitFederation commitFederation(bytes) -> int; 38_000, Always, open, call;
    RollbackFederation rollbackFederation() -> int; 12_000, Always, open, call;
    // Fee, caps, whitelist
    GetFeePerKb getFeePerKb() -> int; 2_000, Always, local, read;
    VoteFeePerKbChange voteFeePerKbChange(int) -> int; 10_000, Always, open, call;
    GetLockingCap getLockingCap() -> int; 3_000, From(Rskip134), local, read;
    IncreaseLockingCap increaseLockingCap(int) -> bool; 8_000, From(Rskip134), open, call;
    AddLockWhitelistAddress addLockWhitelistAddress(string int) -> int; 25_000, Until(Rskip87), open, call;
    AddOneOffLockWhitelistAddress addOneOffLockWhitelistAddress(string int) -> int; 25_000, From(Rskip87), open, call;
    AddUnlimitedLockWhitelistAddress addUnlimitedLockWhitelistAddress(string) -> int; 25_000, From(Rskip87), open, call;
    RemoveLockWhitelistAddress removeLockWhitelistAddress(string) -> int; 24_000, Always, open, call;
    SetLockWhitelistDisableBlockDelay setLockWhitelistDisableBlockDelay(int) -> int; 24_000, Always, open, call;
    GetLockWhitelistSize getLockWhitelistSize() -> int; 16_000, Always, local, read;
    GetLockWhitelistAddress getLockWhitelistAddress(int) -> string; 16_000, Always, local, read;
    GetLockWhitelistEntryByAddress getLockWhitelistEntryByAddress(string) -> int; 16_000, From(Rskip87), local, read;
    // Union bridge
    SetUnionBridgeContractAddressForTestnet setUnionBridgeContractAddressForTestnet(address) -> int; 8_000, From(Rskip502), open, call;
    GetUnionBridgeContractAddress getUnionBridgeContractAddress() -> address; 3_000, From(Rskip502), open, read;
    GetUnionBridgeLockingCap getUnionBridgeLockingCap() -> uint; 3_000, From(Rskip502), open, read;
    IncreaseUnionBridgeLockingCap increaseUnionBridgeLockingCap(uint) -> int; 8_000, From(Rskip502), open, call;
    RequestUnionBridgeRbtc requestUnionBridgeRbtc(uint) -> int; 8_000, From(Rskip502), open, call;
    ReleaseUnionBridgeRbtc releaseUnionBridgeRbtc() -> int; 8_000, From(Rskip502), open, call;
    SetUnionBridgeTransferPermissions setUnionBridgeTransferPermissions(bool bool) -> int; 8_000, From(Rskip502), open, call;
    GetSuperEvent getSuperEvent() -> bytes; 3_000, From(Rskip529), open, read;
    SetSuperEvent setSuperEvent(bytes); 8_000, From(Rskip529), open, call;
    ClearSuperEvent clearSuperEvent(); 8_000, From(Rskip529), open, call;
    GetBaseEvent getBaseEvent() -> bytes; 3_000, From(Rskip529), open, read;
    SetBaseEvent setBaseEvent(bytes); 8_000, From(Rskip529), open, call;
    ClearBaseEvent clearBaseEvent(); 8_000, From(Rskip529), open, call;
}

#[cfg(test)]
#[path = "method_tests.rs"]
mod tests;
