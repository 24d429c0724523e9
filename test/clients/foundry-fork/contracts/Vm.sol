// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// The cheat codes of Foundry that the project uses.
interface Vm {
    function startBroadcast(address sender) external;
    function stopBroadcast() external;
    function expectRevert(bytes calldata data) external;
    function prank(address sender) external;
    function deal(address account, uint256 balance) external;
    function envAddress(string calldata name) external view returns (address);
    function envString(string calldata name) external view returns (string memory);
    function createSelectFork(string calldata url, uint256 block) external returns (uint256);
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
