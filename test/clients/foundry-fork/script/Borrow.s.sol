// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {vm} from "../contracts/Vm.sol";
import {Protocols} from "../contracts/Protocols.sol";

/// A loan against coins, and stable tokens for others, from an account of the node.
contract Borrow is Protocols {
    function run() external {
        vm.startBroadcast(vm.envAddress("SENDER"));
        loans.borrow{value: 1 ether}(60 ether);
        stable.mintDoc{value: 2 ether}(1 ether);
        vm.stopBroadcast();
    }
}
