// Checks that are told one by one, and counted.
export class Tally {
  passed = 0;
  failed = 0;

  check(what, isGood, details = '') {
    console.log(`${isGood ? 'ok  ' : 'FAIL'} ${what}${details === '' ? '' : `: ${details}`}`);
    if (isGood) this.passed++;
    else this.failed++;
  }

  /** The last line, and the exit code: 1 when something failed or nothing passed. */
  end() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.failed > 0 || this.passed === 0 ? 1 : 0;
  }
}
