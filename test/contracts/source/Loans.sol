// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import "./Token.sol";

/// A price that its owner sets.
contract Oracle {
    address public owner = msg.sender;
    /// Tokens for one coin, in the smallest units of both.
    uint256 public price;

    constructor(uint256 first) {
        price = first;
    }

    function setPrice(uint256 next) external {
        require(msg.sender == owner, "not the owner");
        price = next;
    }
}

/// A pool of loans in the manner of Sovryn: lenders mint shares of it, borrowers leave coins.
contract Loans {
    Token public immutable asset;
    Oracle public immutable oracle;
    uint256 public shares;
    uint256 public lent;
    mapping(address => uint256) public sharesOf;
    mapping(address => uint256) public collateralOf;
    mapping(address => uint256) public debtOf;

    event Mint(address indexed receiver, uint256 amount, uint256 shares);
    event Borrow(address indexed borrower, uint256 amount, uint256 collateral);

    constructor(Token token, Oracle prices) {
        asset = token;
        oracle = prices;
    }

    function mint(address receiver, uint256 amount) external returns (uint256 minted) {
        uint256 assets = asset.balanceOf(address(this)) + lent;
        minted = shares == 0 ? amount : amount * shares / assets;
        asset.transferFrom(msg.sender, address(this), amount);
        shares += minted;
        sharesOf[receiver] += minted;
        emit Mint(receiver, amount, minted);
    }

    /// Lends up to two thirds of what the coins are worth.
    function borrow(uint256 amount) external payable {
        collateralOf[msg.sender] += msg.value;
        debtOf[msg.sender] += amount;
        require(
            debtOf[msg.sender] * 3 <= collateralOf[msg.sender] * oracle.price() * 2, "collateral insufficient"
        );
        lent += amount;
        asset.transfer(msg.sender, amount);
        emit Borrow(msg.sender, amount, msg.value);
    }
}

/// A stable token in the manner of Money on Chain, minted for coins at the price while there is coverage.
contract Stable {
    Oracle public immutable oracle;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    uint256 public reserve;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(Oracle prices) payable {
        oracle = prices;
        reserve = msg.value;
    }

    /// @param coins that are to be changed; what is sent above them, and above the commission of 1/1000, is given back
    function mintDoc(uint256 coins) external payable {
        uint256 cost = coins + coins / 1000;
        require(msg.value >= cost, "amount is not enough");
        uint256 minted = coins * oracle.price();
        reserve += cost;
        totalSupply += minted;
        require(reserve * oracle.price() >= totalSupply * 3, "coverage too low");
        balanceOf[msg.sender] += minted;
        emit Transfer(address(0), msg.sender, minted);
        (bool sent,) = msg.sender.call{value: msg.value - cost}("");
        require(sent, "change not taken");
    }
}
