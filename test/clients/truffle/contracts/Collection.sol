// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

contract Collection is ERC721 {
    constructor() ERC721("Collection", "COL") {}

    function mint(address to, uint256 id) external {
        _safeMint(to, id);
    }
}
