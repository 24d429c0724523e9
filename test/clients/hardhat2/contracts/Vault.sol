// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A contract that shows a client every way in which a call can end.
contract Vault {
    error TooEarly(uint256 now_, uint256 unlockTime);
    error NotOwner();

    event Deposited(address indexed from, uint256 amount, string note);
    event Withdrawn(address indexed to, uint256 indexed when, uint256 amount);

    struct Entry {
        address from;
        uint256 amount;
        string note;
    }

    address public immutable owner;
    uint256 public unlockTime;
    Entry[] private entries;
    mapping(address => uint256) public deposits;

    constructor(uint256 unlockTime_) payable {
        require(block.timestamp < unlockTime_, "Unlock time should be in the future");
        owner = msg.sender;
        unlockTime = unlockTime_;
    }

    receive() external payable {
        deposit("");
    }

    function deposit(string memory note) public payable {
        require(msg.value > 0, "nothing to deposit");
        entries.push(Entry(msg.sender, msg.value, note));
        deposits[msg.sender] += msg.value;
        emit Deposited(msg.sender, msg.value, note);
    }

    function withdraw() external {
        if (block.timestamp < unlockTime) revert TooEarly(block.timestamp, unlockTime);
        if (msg.sender != owner) revert NotOwner();
        uint256 amount = address(this).balance;
        emit Withdrawn(msg.sender, block.timestamp, amount);
        payable(msg.sender).transfer(amount);
    }

    function entry(uint256 index) external view returns (Entry memory) {
        return entries[index];
    }

    function allEntries() external view returns (Entry[] memory) {
        return entries;
    }

    function divide(uint256 a, uint256 b) external pure returns (uint256) {
        return a / b;
    }

    function silent() external pure {
        revert();
    }

    function invalid() external pure {
        assembly {
            invalid()
        }
    }

    function burn(uint256 rounds) external {
        for (uint256 i = 0; i < rounds; i++) deposits[address(uint160(i + 1))] = i + 1;
    }
}
