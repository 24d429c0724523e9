// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Work of a chosen size for measurements: hashing, arithmetic, memory, storage and logs.
contract Compute {
    mapping(uint256 => uint256) public cells;

    event Step(uint256 indexed index, bytes32 value);

    /// About 1,000,000 gas at 5,400 rounds.
    function hash(uint256 rounds) external pure returns (bytes32 value) {
        for (uint256 i = 0; i < rounds; i++) value = keccak256(abi.encodePacked(value, i));
    }

    function arithmetic(uint256 rounds) external pure returns (uint256 value) {
        value = 1;
        unchecked {
            for (uint256 i = 0; i < rounds; i++) value = mulmod(value, value + i, type(uint256).max - 188) ^ (i << 7);
        }
    }

    function copy(uint256 rounds, uint256 size) external pure returns (bytes32) {
        bytes memory source = new bytes(size);
        bytes memory target = new bytes(size);
        for (uint256 i = 0; i < rounds; i++) {
            source[i % size] = bytes1(uint8(i));
            assembly {
                mcopy(add(target, 32), add(source, 32), size)
            }
        }
        return keccak256(target);
    }

    function store(uint256 from, uint256 count, uint256 value) external {
        for (uint256 i = from; i < from + count; i++) cells[i] = value;
    }

    function log(uint256 count) external {
        for (uint256 i = 0; i < count; i++) emit Step(i, keccak256(abi.encode(i)));
    }
}
