// SPDX-License-Identifier: MIT
pragma solidity 0.8.25;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Enumerable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Enumerable.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

contract Collectible is ERC721Enumerable, Ownable {
    string private base;

    constructor(string memory base_, address owner) ERC721("Collectible", "COL") Ownable(owner) {
        base = base_;
    }

    function mint(address to) external onlyOwner {
        _safeMint(to, totalSupply() + 1);
    }

    function setBaseURI(string calldata base_) external onlyOwner {
        base = base_;
    }

    function _baseURI() internal view override returns (string memory) {
        return base;
    }
}
