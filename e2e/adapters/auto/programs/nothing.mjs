// Uses no framework. Says whether an observer was made.
console.log(globalThis[Symbol.for('hermes.observer.shared.1')] === undefined ? 'no observer' : 'observer');
