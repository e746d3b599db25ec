import { servePeer } from '../peer.ts';
import { runOpenLoad } from './open-load.ts';
import { runLoad } from './run-load.ts';

servePeer({ run: runLoad, runOpen: runOpenLoad });
