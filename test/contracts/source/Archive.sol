// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Values of many sizes in storage: strings over several cells, packed fields, maps of maps and lists.
contract Archive {
    struct Entry {
        uint64 time;
        address author;
        bool closed;
        string text;
    }

    string public title;
    bytes32 public word;
    Entry[] public entries;
    mapping(uint256 => mapping(bytes32 => uint256)) public nested;
    /// Each item names the next one; the last names itself.
    mapping(uint256 => uint256) public next;

    event Stored(uint256 indexed index, address indexed author, string text);
    event Titled(string title);
    event Linked(uint256 from, uint256 to) anonymous;

    function setTitle(string calldata value) external {
        title = value;
        emit Titled(value);
    }

    function setWord(bytes32 value) external {
        word = value;
    }

    function append(string calldata text) external returns (uint256 index) {
        index = entries.length;
        entries.push(Entry(uint64(block.timestamp), msg.sender, false, text));
        emit Stored(index, msg.sender, text);
    }

    function drop() external {
        entries.pop();
    }

    function set(uint256 first, bytes32 second, uint256 value) external {
        nested[first][second] = value;
    }

    function link(uint256 from, uint256 count) external {
        for (uint256 i = from; i < from + count; i++) {
            next[i] = i + 1;
            emit Linked(i, i + 1);
        }
        next[from + count] = from + count;
    }

    function follow(uint256 from) external view returns (uint256 last, uint256 steps) {
        last = from;
        while (next[last] != last) {
            last = next[last];
            steps++;
        }
    }
}
