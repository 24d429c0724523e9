use super::*;

/// Signatures and selectors of bridge.md §1.4.
const SELECTORS: &[(&str, &str)] = &[
    ("receiveHeaders(bytes[])", "e5400e7b"),
    ("receiveHeader(bytes)", "884bdd86"),
    ("getBtcBlockchainBestChainHeight()", "14c89c01"),
    ("getBtcBlockchainInitialBlockHeight()", "4897193f"),
    ("getBtcBlockchainBlockLocator()", "cf4ff2d2"),
    ("getBtcBlockchainBlockHashAtDepth(int256)", "efd44418"),
    ("getBtcBlockchainBestBlockHeader()", "f0b2424b"),
    ("getBtcBlockchainBlockHeaderByHash(bytes32)", "739e364a"),
    ("getBtcBlockchainBlockHeaderByHeight(uint256)", "bd0c1fff"),
    ("getBtcBlockchainParentBlockHeaderByHash(bytes32)", "e0236724"),
    ("getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])", "5b644587"),
    ("registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)", "ccf417ae"),
    ("hasBtcBlockCoinbaseTransactionInformation(bytes32)", "253b944b"),
    ("registerBtcTransaction(bytes,int256,bytes)", "43dc0656"),
    ("registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)", "6adc0133"),
    ("isBtcTxHashAlreadyProcessed(string)", "248a982d"),
    ("getBtcTxHashProcessedHeight(string)", "97fcca7d"),
    ("getMinimumLockTxValue()", "2f8d158f"),
    ("releaseBtc()", "80af2871"),
    ("updateCollections()", "0c5a9990"),
    ("addSignature(bytes,bytes[],bytes)", "f10b9c59"),
    ("getStateForBtcReleaseClient()", "c4fbca20"),
    ("getStateForDebugging()", "0d0cee93"),
    ("getNextPegoutCreationBlockNumber()", "e34f834f"),
    ("getQueuedPegoutsCount()", "f4e4f963"),
    ("getEstimatedFeesForNextPegOutEvent()", "7817d854"),
    ("getEstimatedFeesForPegOutAmount(uint256)", "d2b712f4"),
    ("getFederationAddress()", "6923fa85"),
    ("getFederationSize()", "802ad4b6"),
    ("getFederationThreshold()", "0fd47456"),
    ("getFederatorPublicKey(int256)", "6b89a1af"),
    ("getFederatorPublicKeyOfType(int256,string)", "549cfd1c"),
    ("getFederationCreationTime()", "5e2db9d4"),
    ("getFederationCreationBlockNumber()", "1b2045ee"),
    ("getActiveFederationCreationBlockHeight()", "177d6e18"),
    ("getActivePowpegRedeemScript()", "1d73d5dd"),
    ("getRetiringFederationAddress()", "47227286"),
    ("getRetiringFederationSize()", "d970b0fd"),
    ("getRetiringFederationThreshold()", "07bbdfc4"),
    ("getRetiringFederatorPublicKey(int256)", "4675d6de"),
    ("getRetiringFederatorPublicKeyOfType(int256,string)", "68bc2b2b"),
    ("getRetiringFederationCreationTime()", "3f0ce9b1"),
    ("getRetiringFederationCreationBlockNumber()", "d905153f"),
    ("getPendingFederationHash()", "6ce0ed5a"),
    ("getPendingFederationSize()", "3ac72b38"),
    ("getPendingFederatorPublicKey(int256)", "492f7c44"),
    ("getPendingFederatorPublicKeyOfType(int256,string)", "c61295d9"),
    ("getProposedFederationAddress()", "956d9713"),
    ("getProposedFederationSize()", "06ebeb8c"),
    ("getProposedFederationCreationTime()", "fa2df78c"),
    ("getProposedFederationCreationBlockNumber()", "2b169b23"),
    ("getProposedFederatorPublicKeyOfType(int256,string)", "e3228fab"),
    ("getStateForSvpClient()", "4c723e89"),
    ("createFederation()", "1183d5d1"),
    ("addFederatorPublicKey(bytes)", "ecefd339"),
    ("addFederatorPublicKeyMultikey(bytes,bytes,bytes)", "444ff9da"),
    ("commitFederation(bytes)", "1533330f"),
    ("rollbackFederation()", "8dec3d32"),
    ("getFeePerKb()", "724ec886"),
    ("voteFeePerKbChange(int256)", "0461313e"),
    ("getLockingCap()", "3f9db977"),
    ("increaseLockingCap(int256)", "2910aeb2"),
    ("addLockWhitelistAddress(string,int256)", "502bbbce"),
    ("addOneOffLockWhitelistAddress(string,int256)", "848206d9"),
    ("addUnlimitedLockWhitelistAddress(string)", "b906c938"),
    ("removeLockWhitelistAddress(string)", "fcdeb46f"),
    ("setLockWhitelistDisableBlockDelay(int256)", "c1cc54f5"),
    ("getLockWhitelistSize()", "e9e658dc"),
    ("getLockWhitelistAddress(int256)", "93988b76"),
    ("getLockWhitelistEntryByAddress(string)", "251c5f7b"),
    ("setUnionBridgeContractAddressForTestnet(address)", "cc55d66f"),
    ("getUnionBridgeContractAddress()", "d3af747c"),
    ("getUnionBridgeLockingCap()", "33e08fed"),
    ("increaseUnionBridgeLockingCap(uint256)", "a57a0ada"),
    ("requestUnionBridgeRbtc(uint256)", "5521647a"),
    ("releaseUnionBridgeRbtc()", "430462a8"),
    ("setUnionBridgeTransferPermissions(bool,bool)", "5fcc6d24"),
    ("getSuperEvent()", "f8cfda8e"),
    ("setSuperEvent(bytes)", "99961ea5"),
    ("clearSuperEvent()", "d2ba1e45"),
    ("getBaseEvent()", "a25b94cb"),
    ("setBaseEvent(bytes)", "fe43e2f8"),
    ("clearBaseEvent()", "93e7a33b"),
];

#[test]
fn every_method_has_its_selector() {
    assert_eq!(DEFINITIONS.len(), SELECTORS.len());
    for (signature, bytes) in SELECTORS {
        let mut expected = [0; 4];
        rhizome_primitives::hex::decode_to_slice(bytes, &mut expected).expect("eight digits");
        let found = by_selector(expected).unwrap_or_else(|| panic!("{signature} is not in the table"));
        assert_eq!(&found.signature(), signature);
        assert_eq!(definition(found.method).name, found.name);
    }
}

#[test]
fn static_calls_reach_only_readers() {
    for entry in DEFINITIONS {
        assert!(entry.accepts(CallType::Call) && !entry.accepts(CallType::DelegateCall));
        assert!(!entry.accepts(CallType::CallCode));
        assert_eq!(
            entry.accepts(CallType::StaticCall),
            entry.name.starts_with("get") || entry.name.starts_with("is") || entry.name.starts_with("has")
        );
    }
}
