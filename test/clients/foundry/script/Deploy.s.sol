// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {vm} from "../contracts/Vm.sol";
import {Coin} from "../contracts/Coin.sol";

/// Two deployments and two calls, one of which needs what the first made.
contract Deploy {
    function run() external returns (Coin first, Coin second) {
        vm.startBroadcast(vm.envUint("PRIVATE_KEY"));
        first = new Coin(1_000_000 ether);
        second = new Coin{salt: keccak256("second")}(5 ether);
        first.transfer(address(0xBEEF), 7 ether);
        second.mint(address(first), 3 ether);
        vm.stopBroadcast();
    }
}
