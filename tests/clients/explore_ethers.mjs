// Sends many transactions at once with ethers, in any order, then asks what the explorer Otterscan asks. Prints what it saw as JSON.
import { JsonRpcProvider, Wallet } from "ethers";

const [url, key, count] = process.argv.slice(2);
const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, batchMaxCount: 1 });
provider.pollingInterval = 50;
const ask = (method, ...params) => provider.send(method, params);
const wallet = new Wallet(key, provider);
const to = "0x5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b";
const { chainId } = await provider.getNetwork();
const fees = { type: 2, chainId, gasLimit: 21_000, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };

const nonces = [...Array(Number(count)).keys()].sort((a, b) => ((a * 7919) % 1009) - ((b * 7919) % 1009));
const raw = await Promise.all(nonces.map((nonce) => wallet.signTransaction({ ...fees, nonce, to, value: 1n })));
const hashes = await Promise.all(raw.map((each) => ask("eth_sendRawTransaction", each)));
const receipts = await Promise.all(hashes.map((each) => provider.getTransactionReceipt(each)));

const seen = { sent: receipts.filter((receipt) => receipt?.status === 1).length };
seen.balance = Number(await provider.getBalance(to));
seen.level = await ask("ots_getApiLevel");
const head = Number((await ask("erigon_getHeaderByNumber", "latest")).number);
const details = await ask("ots_getBlockDetails", head);
seen.details = [details.block.transactionCount, BigInt(details.totalFees) > 0n, BigInt(details.issuance.blockReward) === 0n];
seen.sameByHash = (await ask("ots_getBlockDetailsByHash", details.block.hash)).block.hash === details.block.hash;
const block = await ask("ots_getBlockTransactions", head, 0, 10);
seen.blockPage = [block.fullblock.transactions.length, block.receipts.length];
const first = await ask("ots_searchTransactionsBefore", to, 0, 25);
const next = await ask("ots_searchTransactionsBefore", to, Number(first.txs.at(-1).blockNumber), 25);
seen.pages = [first.txs.length, first.firstPage, first.lastPage, next.txs.length, next.firstPage];
const { hash } = block.fullblock.transactions[0];
seen.trace = (await ask("ots_traceTransaction", hash)).map((each) => [each.type, each.depth, each.value]);
seen.error = await ask("ots_getTransactionError", hash);
seen.operations = await ask("ots_getInternalOperations", hash);
seen.hasCode = await ask("ots_hasCode", to, "latest");
seen.byNonce = (await ask("ots_getTransactionBySenderAndNonce", wallet.address, Number(count) - 1)) === hash;
seen.creator = await ask("ots_getContractCreator", to);
const { stateDiff } = await ask("trace_replayTransaction", hash, ["stateDiff"]);
seen.changed = Object.keys(stateDiff).includes(to);
provider.destroy();
console.log(JSON.stringify(seen));
