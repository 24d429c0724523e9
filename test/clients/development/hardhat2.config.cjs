// Its node runs with what it is given by default.
module.exports = {}
