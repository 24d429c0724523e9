// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Logs to the console of Hardhat and Foundry, as contracts do that import one of their libraries.
contract Noisy {
    address private constant CONSOLE = 0x000000000000000000636F6e736F6c652e6c6f67;
    address private immutable owner = msg.sender;
    uint256 public total;

    error TooMuch(uint256 asked, Limits limits);

    struct Limits {
        uint256 most;
        address[] holders;
    }

    constructor(uint256 start, string memory name) {
        total = start;
        print(abi.encodeWithSignature("log(string,string)", "made", name));
    }

    /// Prints at two depths, adds and refuses what is too much.
    function add(uint256 amount) external returns (uint256) {
        print(abi.encodeWithSignature("log(string,uint256,address)", "adding %d for", amount, msg.sender));
        return this.addInside(amount);
    }

    function addInside(uint256 amount) external returns (uint256) {
        print(abi.encodeWithSignature("log(string)", "inside\n\x1b[31mred"));
        if (amount > 100) {
            address[] memory holders = new address[](1);
            holders[0] = owner;
            revert TooMuch(amount, Limits(100, holders));
        }
        total += amount;
        return total;
    }

    function print(bytes memory call) private view {
        (bool done, ) = CONSOLE.staticcall(call);
        done;
    }

    receive() external payable {}
}
