// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// The cheat codes of Foundry that the suite uses.
interface Vm {
    function startBroadcast(uint256 key) external;
    function stopBroadcast() external;
    function expectRevert(bytes calldata data) external;
    function prank(address sender) external;
    function envUint(string calldata name) external view returns (uint256);
    function envAddress(string calldata name) external view returns (address);
    function envBytes32(string calldata name) external view returns (bytes32);
    function envString(string calldata name) external view returns (string memory);
    function getNonce(address account) external view returns (uint64);
    function load(address account, bytes32 slot) external view returns (bytes32);
    function createSelectFork(string calldata url, uint256 block) external returns (uint256);
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
