// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {vm} from "../contracts/Vm.sol";
import {Coin} from "../contracts/Coin.sol";

/// What a fork reads of the node: the suite says in the environment what it deployed there, and what it holds.
contract ForkTest {
    Coin private coin;
    address private owner;

    function setUp() public {
        coin = Coin(vm.envAddress("COIN"));
        owner = vm.envAddress("OWNER");
    }

    function testState() public view {
        require(coin.totalSupply() == vm.envUint("SUPPLY"), "supply");
        require(coin.balanceOf(owner) == vm.envUint("HELD"), "held");
        require(owner.balance == vm.envUint("BALANCE"), "balance");
        require(vm.getNonce(owner) == vm.envUint("NONCE"), "nonce");
        require(keccak256(address(coin).code) == vm.envBytes32("CODE_HASH"), "code");
        require(vm.load(address(coin), bytes32(uint256(2))) == bytes32(vm.envUint("SUPPLY")), "storage");
        require(block.chainid == 33, "chain");
        require(block.number == vm.envUint("BLOCK"), "block");
    }

    function testWrites() public {
        vm.prank(owner);
        coin.transfer(address(0xCAFE), 1 ether);
        require(coin.balanceOf(address(0xCAFE)) == 1 ether, "moved");
        require(coin.balanceOf(owner) == vm.envUint("HELD") - 1 ether, "left");
    }

    function testRoll() public {
        uint256 at = vm.envUint("BEFORE");
        vm.createSelectFork(vm.envString("NODE_URL"), at);
        require(block.number == at, "rolled");
        require(address(coin).code.length == 0, "no code yet");
    }
}
