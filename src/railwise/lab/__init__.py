"""Virtual devices that speak the real protocols, all made from one fabric document.

They know nothing of the discovery side: what is read from them went over a real connection or through a real file.
"""
