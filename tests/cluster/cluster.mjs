// PostgreSQL 15 on loopback as scripts/cluster starts it: three under Patroni, with etcd.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const unpacked = join(root, 'build/unpacked/usr');
const libraries = readdirSync(join(unpacked, 'lib')).find((name) => name.endsWith('-linux-gnu'));
const postgres = (program) => join(unpacked, 'lib/postgresql/15/bin', program);
const environment = {
  ...process.env,
  LD_LIBRARY_PATH: join(unpacked, 'lib', libraries),
  PYTHONPATH: join(unpacked, 'lib/python3/dist-packages'),
};
// PostgreSQL refuses to run as root.
const asUser = process.getuid() === 0 ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups', '--'] : [];

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Returns the first truthy result of `look`. Throws after a minute.
export async function until(look, what, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await pause(100);
  }
}

// One PostgreSQL with the Patroni that keeps it.
class Member {
  constructor(directory, name, port) {
    Object.assign(this, { directory, name, port });
  }

  pid() {
    const file = join(this.directory, this.name, 'postmaster.pid');
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
  }

  // The pids of the server's own processes whose titles contain `title`.
  pids(title = '') {
    const parent = this.pid();
    if (!parent) return [];
    return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isChild(pid, parent, title)).map(Number);
  }

  tables() {
    return join(this.directory, this.name, 'base');
  }

  patroni() {
    return Number(readFileSync(join(this.directory, `${this.name}.pid`), 'utf8'));
  }

  // Signals every process, as if the machine stood still.
  signalWhole(signal) {
    for (const pid of [this.patroni(), this.pid(), ...this.pids()].filter(Boolean)) signalIfThere(pid, signal);
  }

  // Restarts PostgreSQL without its Patroni, which is stopped: as after a crash.
  startAgain() {
    const pid = this.pid();
    signalIfThere(pid, 'SIGQUIT');
    const control = ['-D', join(this.directory, this.name), '-w', '-l', join(this.directory, `${this.name}.again.log`), 'start'];
    while (isThere(pid)) spawnSync('sleep', ['0.05']);
    const [program, ...words] = [...asUser, postgres('pg_ctl'), ...control];
    execFileSync(program, words, { env: environment, stdio: 'ignore' });
  }

  said() {
    return readFileSync(join(this.directory, `${this.name}.log`), 'utf8').split('\n').slice(-12);
  }

  // Patroni 3.0.2 may keep a stale state of etcd (its pull request 2783), and never learns which standby is
  // synchronous. As in the handbook, its Patroni is restarted while PostgreSQL runs on.
  async helpPatroni() {
    if (this.said().filter((line) => line.includes('replication key updated by someone else')).length < 3) return false;
    signalIfThere(this.patroni(), 'SIGKILL');
    await until(() => !isThere(this.patroni()), 'an end of Patroni');
    this.keepAgain();
    return true;
  }

  // After its Patroni was killed.
  keepAgain() {
    const log = openSync(join(this.directory, `${this.name}.log`), 'a');
    const words = [...asUser, '/usr/bin/python3', join(unpacked, 'bin/patroni'), join(this.directory, `${this.name}.yml`)];
    const child = spawn(words[0], words.slice(1), { env: environment, detached: true, stdio: ['ignore', log, log] });
    writeFileSync(join(this.directory, `${this.name}.pid`), `${child.pid}\n`);
    child.unref();
  }

  // Runs a statement as the superuser. Returns one line a row, or '' if the server does not answer.
  async sql(statement, database = 'pixledger') {
    const uri = `postgresql://postgres@127.0.0.1:${this.port}/${database}?connect_timeout=2`;
    const options = { env: environment, timeout: 4000, killSignal: 'SIGKILL' };
    const { stdout } = await run(postgres('psql'), ['-qAt', uri, '-c', statement], options);
    return stdout.trimEnd();
  }

  // The members as its Patroni sees them, or none while it does not answer.
  async view() {
    const [, port] = /restapi: \{listen: '127\.0\.0\.1:(\d+)'/.exec(readFileSync(join(this.directory, `${this.name}.yml`), 'utf8'));
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/cluster`, { signal: AbortSignal.timeout(4000) });
      return (await answer.json()).members;
    } catch {
      return [];
    }
  }

  async isLeader() {
    try {
      return (await this.sql('SELECT pg_is_in_recovery()')) === 'f';
    } catch {
      return false;
    }
  }
}

export function signalIfThere(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

// Whether the process is a child of `parent` (proc(5)) and its title contains `title`.
function isChild(pid, parent, title) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
    return Number(fields[1]) === parent && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(title);
  } catch {
    return false; // It has ended meanwhile.
  }
}

function isThere(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export class Cluster {
  #parent = mkdtempSync(join(tmpdir(), 'pixledger-cluster-'));
  #directory = join(this.#parent, 'cluster');
  helps = 0; // how often a Patroni was restarted

  async start() {
    execFileSync('chmod', ['755', this.#parent]);
    const { stdout } = await run(join(root, 'scripts/cluster'), ['start', '--dir', this.#directory]);
    this.uri = /^LEDGER=(.+)$/m.exec(stdout)[1];
    this.owner = /^LEDGER_OWNER=(.+)$/m.exec(stdout)[1];
    const ports = readFileSync(join(this.#directory, 'ports'), 'utf8').trim().split(' ').slice(0, 3);
    this.members = ports.map((port, i) => new Member(this.#directory, `p${i + 1}`, Number(port)));
  }

  etcd() {
    return Number(readFileSync(join(this.#directory, 'etcd.pid'), 'utf8'));
  }

  async leader() {
    const leaders = await Promise.all(this.members.map(async (one) => (await one.isLeader()) && one));
    return leaders.find(Boolean);
  }

  // Waits for a leader with a synchronous standby in Patroni's view: Patroni promotes no other standby, and learns of a new
  // one some seconds after PostgreSQL. `standbys`: the number of all standbys that follow.
  async settled(standbys = 1) {
    let views;
    const look = async () => {
      for (const one of this.members) this.helps += Number(await one.helpPatroni());
      views = await Promise.all(this.members.map((one) => one.view()));
      const view = views.find((members) => members.some((one) => one.role === 'leader') && members.some((one) => one.role === 'sync_standby'));
      const named = (role) => this.members.find((one) => one.name === view?.find((its) => its.role === role)?.name);
      const [leader, standby] = [named('leader'), named('sync_standby')];
      if (!leader || !(await leader.isLeader())) return undefined;
      const following = await leader.sql("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'").catch(() => '0');
      return Number(following) >= standbys && { leader, standby };
    };
    try {
      return await until(look, 'a leader with a synchronous standby', 120);
    } catch (error) {
      const logs = this.members.map((one) => one.said().join('\n'));
      throw new Error([error.message, ...views.map((view) => JSON.stringify(view)), ...logs].join('\n'));
    }
  }

  // Signals the WAL receivers of the standbys.
  signalReceivers(signal) {
    for (const pid of this.members.flatMap((one) => one.pids('walreceiver'))) signalIfThere(pid, signal);
  }

  // Waits for another leader while that one is gone or stands still.
  promotionBeside(leader) {
    const others = this.members.filter((one) => one !== leader);
    return until(async () => (await Promise.all(others.map((one) => one.isLeader()))).some(Boolean), 'a promotion', 90);
  }

  async stop() {
    await run(join(root, 'scripts/cluster'), ['stop', '--dir', this.#directory]);
    rmSync(this.#parent, { recursive: true, force: true, maxRetries: 10 });
  }
}
