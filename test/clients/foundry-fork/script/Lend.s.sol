// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {vm} from "../contracts/Vm.sol";
import {Protocols} from "../contracts/Protocols.sol";

/// A whale that the node impersonates lends to the pool.
contract Lend is Protocols {
    function run() external {
        vm.startBroadcast(whale);
        token.approve(address(loans), 1_000 ether);
        loans.mint(whale, 1_000 ether);
        vm.stopBroadcast();
    }
}
