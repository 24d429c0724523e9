// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Gives many accounts something in one transaction, for measurements on states of any size.
contract Spread {
    /// The account of a number.
    function owner(uint256 number) public pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encode(number)))));
    }

    /// One wei to each of `count` accounts from number `from` on.
    function fund(uint256 from, uint256 count) external payable {
        for (uint256 i = from; i < from + count; i++) {
            (bool done,) = owner(i).call{value: 1}("");
            require(done);
        }
    }

    /// One unit of a token, of which this contract has enough, to each of them.
    function share(address token, uint256 from, uint256 count) external {
        for (uint256 i = from; i < from + count; i++) {
            (bool done,) = token.call(abi.encodeWithSignature("transfer(address,uint256)", owner(i), 1));
            require(done);
        }
    }

    /// The value of the transaction to given accounts, to each the same.
    function give(address[] calldata accounts) external payable {
        for (uint256 i = 0; i < accounts.length; i++) {
            (bool done,) = accounts[i].call{value: msg.value / accounts.length}("");
            require(done);
        }
    }
}
