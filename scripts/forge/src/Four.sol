// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Four in a row, line for line the contract in bench_forge.py: the board of a game is one word, two bits a square.
contract Four {
    uint64 public count;
    mapping(uint64 => address) public first;
    mapping(uint64 => address) public second;
    mapping(uint64 => uint256) public boards; // above the squares: whose turn it is, 0 when the game is over

    event Dropped(uint64 indexed game, uint8 player, uint8 column, uint8 row);

    function create(address one, address other) external returns (uint64) {
        uint64 game = count;
        first[game] = one;
        second[game] = other;
        boards[game] = 1 << 84;
        count = game + 1;
        return game;
    }

    function drop(uint64 game, uint8 column) external returns (uint8) {
        uint256 board = boards[game];
        uint256 player = board >> 84;
        require(player != 0, "the game is over");
        require(msg.sender == (player == 1 ? first[game] : second[game]), "not your turn");
        require(column < 7, "no such column");
        uint8 row = 0;
        while (row < 6 && at(board, column, row) != 0) {
            row += 1;
        }
        require(row < 6, "the column is full");
        board = (board & ((1 << 84) - 1)) | (player << (14 * row + 2 * column));
        bool won = wins(board, player, int8(column), int8(row));
        boards[game] = won ? board : board | ((3 - player) << 84);
        emit Dropped(game, uint8(player), column, row);
        return row;
    }

    function at(uint256 board, uint8 column, uint8 row) internal pure returns (uint256) {
        return (board >> (14 * row + 2 * column)) & 3;
    }

    function wins(uint256 board, uint256 player, int8 column, int8 row) internal pure returns (bool) {
        if (run(board, player, column, row, 0, -1) >= 3) {
            return true;
        }
        for (int8 rise = -1; rise < 2; rise++) {
            uint8 left = run(board, player, column, row, -1, -rise);
            if (left + run(board, player, column, row, 1, rise) >= 3) {
                return true;
            }
        }
        return false;
    }

    function run(uint256 board, uint256 player, int8 column, int8 row, int8 across, int8 up)
        internal
        pure
        returns (uint8)
    {
        uint8 length = 0;
        column += across;
        row += up;
        while (column >= 0 && column < 7 && row >= 0 && row < 6 && at(board, uint8(column), uint8(row)) == player) {
            length += 1;
            column += across;
            row += up;
        }
        return length;
    }
}
