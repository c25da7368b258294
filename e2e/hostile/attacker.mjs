// A process of its own that attacks a service, so that the machine is what it shares with honest clients, and no more.
import { ATTACKS } from './attacks.mjs';

process.once('message', async ({ name, target }) => {
  const facts = await ATTACKS[name].attack(target);
  process.send(facts, () => process.exit(0));
});
