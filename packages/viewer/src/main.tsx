import './style/base.css';
import './style/shell.css';
import './style/controls.css';
import './style/turns.css';
import './style/turn.css';
import './style/tree.css';
import './style/span.css';
import './style/health.css';
import { render } from 'preact';
import { followLinks } from './route/router.js';
import { App } from './shell/app.js';

followLinks();
const place = document.querySelector('#app');
if (place !== null) render(<App />, place);
