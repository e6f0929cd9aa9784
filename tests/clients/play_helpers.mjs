// Calls every helper of hardhat-network-helpers on a node, and prints what came of it as JSON.
// The class is that which Hardhat gives its users as `networkHelpers`; Hardhat itself is not needed for it.
import { NetworkHelpers } from "./node_modules/@nomicfoundation/hardhat-network-helpers/dist/src/internal/network-helpers/network-helpers.js";

async function request({ method, params = [] }) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await (await fetch(process.argv[2], { method: "POST", body })).json();
  if (answer.error) throw new Error(answer.error.message);
  return answer.result;
}

const ask = (method, ...params) => request({ method, params });
const helpers = new NetworkHelpers({ provider: { request }, networkName: "node" });
const { time } = helpers;
const who = "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c";
const latest = () => ask("eth_getBlockByNumber", "latest", false);
const grown = async (read, act) => {
  const before = await read();
  await act(before);
  return (await read()) - before;
};

const seen = {};
seen.increase = await grown(time.latest, () => time.increase(100));
seen.increaseTo = await grown(time.latest, (now) => time.increaseTo(now + 500));
seen.next = await grown(time.latest, async (now) => {
  await time.setNextBlockTimestamp(now + 7);
  await helpers.mine();
});
seen.mine = await grown(time.latestBlock, () => helpers.mine(5, { interval: 12 }));
seen.mineUpTo = await grown(time.latestBlock, (number) => helpers.mineUpTo(number + 4));
await helpers.setBalance(who, 10n ** 18n);
await helpers.setNonce(who, 9);
await helpers.setStorageAt(who, 0, 42);
seen.account = [await ask("eth_getBalance", who, "latest"), await ask("eth_getTransactionCount", who, "latest")];
seen.word = Number(await helpers.getStorageAt(who, 0));
await helpers.impersonateAccount(who);
seen.impersonated = (await ask("eth_sendTransaction", { from: who, to: who })).length;
await helpers.stopImpersonatingAccount(who);
await helpers.setCode(who, "0x60005460005260206000f3");
seen.code = await ask("eth_getCode", who, "latest");
const snapshot = await helpers.takeSnapshot();
await helpers.setBalance(who, 1n);
await snapshot.restore();
seen.restored = (await ask("eth_getBalance", who, "latest")) !== "0x1";
const fixture = async () => {
  await helpers.mine();
  return time.latestBlock();
};
const first = await helpers.loadFixture(fixture);
await helpers.mine(3);
seen.fixture = (await helpers.loadFixture(fixture)) === first && (await time.latestBlock()) === first;
await helpers.setNextBlockBaseFeePerGas(77);
await helpers.setPrevRandao(5);
await helpers.setCoinbase(who);
await helpers.mine();
const block = await latest();
seen.block = [Number(block.baseFeePerGas), Number(block.mixHash), block.miner === who];
await helpers.setBlockGasLimit(Number(block.gasLimit));
await ask("evm_setAutomine", false);
const waiting = await ask("eth_sendTransaction", { to: who, gas: "0x7530" });
await helpers.dropTransaction(waiting);
seen.dropped = await ask("eth_getTransactionByHash", waiting);
console.log(JSON.stringify(seen));
